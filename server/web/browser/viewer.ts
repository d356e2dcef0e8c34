import type { HTTPRequest } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import type { FollowedLink, PressedControl } from '../../in-page/panels/pressed-control.ts'
import type { BrowserAnswer, BrowserRequest } from './browser-request.ts'
import { type BrowserTabs, createBrowserTabs } from './browser-tabs.ts'
import { learnOutline } from './in-page.ts'
import type { LaunchOptions } from './launch.ts'
import { findDeadControls, followLink, pressControls } from './page-controls.ts'
import { finishLook, type PageLook, readText, tryTheme } from './page-look.ts'
import { settle } from './settle.ts'
import { clearStorage, toBrowserRequest } from './tab.ts'
import { type SearchTask, type SearchUse, useSearch } from './use-search.ts'
import { keepFaults, startWatching, type Watched, type WatchedTab } from './watched-tab.ts'

/** Returns an answer, 'file' = load the file: address from disk, or null = refuse. */
export type ViewAnswerer = (request: BrowserRequest) => Promise<BrowserAnswer | 'file' | null>

/** Opens pages like a visitor. Refuses every address that the answerer does not know. */
export interface BundleViewer {
  /**
   * Returns null if the browser failed twice to show the page.
   *
   * @param wish what to do after the text was read; nothing by default.
   */
  look(address: string, answer: ViewAnswerer, wish?: LookWish): Promise<PageLook | null>
  /** Uses the search of a page. Returns null if it has none, or if the browser failed twice to show the page. */
  search(address: string, answer: ViewAnswerer, task: SearchTask): Promise<SearchUse | null>
  close(): Promise<void>
}

/** A viewer whose tabs somebody else closes. */
export type PageViewer = Omit<BundleViewer, 'close'>

/** What a look finds out besides what a visitor sees. */
export interface LookWish {
  /** Whether to press the theme button. */
  pressesTheme: boolean
  /** The page as the server sent it, to find an outline that scripts made and to press its controls; absent = neither. */
  served?: string
  /** Whether to press only controls of the content and to follow no link, because another page of its kind tells the rest. */
  isFurther?: boolean
  /** The controls that worked at the origin, to press them too. */
  controls?: readonly PressedControl[]
  /** The link that scripts followed at the origin, to follow it too. */
  follows?: FollowedLink | null
}

export interface ViewerOptions {
  pageTimeoutMs: number
  /** Max requests of one page. */
  pageRequests: number
  signal: AbortSignal
  /**
   * Decides whether an address belongs to a third-party product that stays in the bundle. A check never requests these
   * addresses and ignores their failures.
   */
  isOutside?(url: URL): boolean
}

export interface BundleViewerOptions extends ViewerOptions, LaunchOptions {
  /** Returns the share of this browser in a number of tabs; at least 1. */
  share?(whole: number): number
}

/**
 * How many times the time limit of a page a search may take. It opens the page several times, and on a busy machine the result
 * must not depend on the time.
 */
const searchTimes = 3

/** How many pages are open concurrently, at most. */
export const viewerTabs = 3

/**
 * Starts a browser without access to the network for pages of a bundle.
 *
 * @throws {BrowserStartError}
 */
export async function openBundleViewer(options: BundleViewerOptions): Promise<BundleViewer> {
  const tabs = createBrowserTabs({ ...options, maxTabs: viewerTabs })
  await tabs.open()
  return { ...createViewer(tabs, options), close: tabs.close }
}

/** Creates a viewer that uses these tabs and does not close them. */
export function createViewer(
  tabs: BrowserTabs,
  { pageTimeoutMs, pageRequests, signal, isOutside = () => false }: ViewerOptions,
): PageViewer {
  async function run<T>(
    { address, answer }: { address: string; answer: ViewAnswerer },
    work: (tab: WatchedTab, showing: Watched) => Promise<T>,
    timeoutMs = pageTimeoutMs,
  ): Promise<T | null> {
    const pool = await tabs.open()
    const answering = {
      ...{ address, staysOnReload: false, isOutside },
      answer: (request: HTTPRequest, isNavigation: boolean) =>
        answer(toBrowserRequest(request, isNavigation)).catch(() => null),
    }
    try {
      return await pool.run(tab => work(tab, startWatching(pageRequests, answering)), timeoutMs)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OperatorError) throw error
      return null
    }
  }
  return {
    look: (address, answer, wish = { pressesTheme: false }) =>
      run({ address, answer }, (tab, showing) => lookAt(tab, { showing, ...wish, timeoutMs: pageTimeoutMs })),
    search(address, answer, task) {
      const timeoutMs = searchTimes * pageTimeoutMs
      const search = (tab: WatchedTab, showing: Watched) => {
        tab.showing = showing
        return useSearch(tab, showing, task, timeoutMs)
      }
      return run({ address, answer }, search, timeoutMs)
    },
  }
}

interface Looking extends LookWish {
  showing: Watched
  timeoutMs: number
}

async function lookAt(
  tab: WatchedTab,
  { showing, pressesTheme, served, isFurther = false, controls = [], follows = null, timeoutMs }: Looking,
): Promise<PageLook> {
  const { page } = tab
  const deadline = performance.now() + timeoutMs * 0.8
  await clearStorage(tab, new URL(showing.address), timeoutMs)
  tab.showing = showing
  await page.goto(showing.address, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
  await settle(tab, showing, deadline)
  const seen = await readText(page, showing)
  const outline = served === undefined ? null : await learnOutline(page, served)
  const switchesTheme = pressesTheme ? await tryTheme(page, () => settle(tab, showing, deadline)) : null
  const before = keepFaults(showing)
  const use = served === undefined ? null : await pressControls(page, () => settle(tab, showing, deadline), isFurther)
  const deadControls = await findDeadControls(page, controls)
  const link = {
    isTakenOver: seen.isTakenOver && ((served !== undefined && !isFurther) || follows !== null),
    name: follows?.name ?? null,
  }
  const followed = await followLink(page, () => settle(tab, showing, deadline), link)
  const done = { controls: use?.pressed ?? [], deadControls, follows: followed }
  return finishLook(page, before, seen, { switchesTheme, outline, ...done })
}
