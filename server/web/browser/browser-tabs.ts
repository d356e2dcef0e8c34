import type { LaunchOptions } from './launch.ts'
import type { SignedIn } from './tab.ts'
import { openTabPool, type TabPool } from './tab-pool.ts'
import { openWatchedTab, type Watched } from './watched-tab.ts'

/** The tabs of one browser, which starts when it is first needed. */
export interface BrowserTabs {
  /**
   * Starts the browser on the first call.
   *
   * @throws {BrowserStartError}
   */
  open(): Promise<TabPool<Watched>>
  close(): Promise<void>
}

export interface BrowserTabsOptions extends LaunchOptions {
  pageTimeoutMs: number
  signal: AbortSignal
  /** The recorded login of the site; absent = none. */
  login?: SignedIn | null
  /** Max pages that are open concurrently. */
  maxTabs: number
  /** Returns the share of this browser in a number of tabs; at least 1. */
  share?(whole: number): number
}

/** Creates tabs without access to the network. */
export function createBrowserTabs(options: BrowserTabsOptions): BrowserTabs {
  const { maxTabs, login = null, share = whole => whole } = options
  let pool: Promise<TabPool<Watched>> | null = null
  return {
    open() {
      pool ??= openTabPool({
        ...options,
        countTabs: () => share(maxTabs),
        openTab: browser => openWatchedTab(browser, login),
      })
      // A caller that only prepares the browser does not wait for it. The next caller sees the error.
      pool.catch(() => {})
      return pool
    },
    async close() {
      await pool?.then(opened => opened.close()).catch(() => {})
    },
  }
}
