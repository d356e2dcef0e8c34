import type { Browser, Page } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import { createQueue } from '../../base/queue.ts'
import { withTimeout } from '../../base/timer.ts'
import { closeBrowser, type LaunchOptions, launch } from './launch.ts'
import type { Showing, Tab } from './tab.ts'

export interface TabPoolOptions<S extends Showing> extends LaunchOptions {
  /** Returns how many tabs may work concurrently now. */
  countTabs(): number
  /** Max time for one run, unless the run has its own. */
  pageTimeoutMs: number
  signal: AbortSignal
  openTab(browser: Browser): Promise<Tab<S>>
}

/** Shows pages in a few tabs of one browser. Starts a new browser if the current one crashes. */
export interface TabPool<S extends Showing> {
  /**
   * Runs the work in a tab that no other run uses. A failed run is repeated once, in a new tab.
   *
   * @throws the error of the second run; an OperatorError at once.
   */
  run<T>(work: (tab: Tab<S>) => Promise<T>, timeoutMs?: number): Promise<T>
  close(): Promise<void>
}

const closeTabWithinMs = 2000

/** @throws {BrowserStartError} */
export async function openTabPool<S extends Showing>(options: TabPoolOptions<S>): Promise<TabPool<S>> {
  const { signal, pageTimeoutMs } = options
  const queue = createQueue(options.countTabs)
  let generation = 0
  let launched = launch(options, generation)
  let idleTabs: Tab<S>[] = []
  await launched

  /** Replaces the browser of this generation, unless it was already replaced. */
  function relaunch(broken: number): void {
    if (broken !== generation || signal.aborted) return
    generation += 1
    idleTabs = []
    const old = launched
    launched = old.then(closeBrowser, () => {}).then(() => launch(options, generation))
    // The next run reports the failure. Without a next run, the failure does not matter.
    launched.catch(() => {})
  }

  async function takeTab(): Promise<Tab<S>> {
    for (let tab = idleTabs.pop(); tab; tab = idleTabs.pop()) if (!tab.page.isClosed()) return tab
    return options.openTab(await launched)
  }

  async function runOnce<T>(work: (tab: Tab<S>) => Promise<T>, timeoutMs: number): Promise<T> {
    const ownGeneration = generation
    const tab = await takeTab()
    let isReusable = false
    try {
      const result = await withTimeout(untilCrash(tab.page, work(tab)), timeoutMs, tooLong, signal)
      isReusable = true
      return result
    } finally {
      tab.showing = null
      const hasRoom = idleTabs.length < options.countTabs()
      const isKept = isReusable && hasRoom && ownGeneration === generation && (await leavePage(tab.page))
      if (isKept) idleTabs.push(tab)
      // After an abort, the whole browser is closed with all its tabs.
      else if (!signal.aborted)
        await withTimeout(tab.page.browserContext().close(), closeTabWithinMs, tooLong, signal).catch(() =>
          relaunch(ownGeneration),
        )
    }
  }

  async function runTwice<T>(work: (tab: Tab<S>) => Promise<T>, timeoutMs: number): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted()
      const ownGeneration = generation
      try {
        return await runOnce(work, timeoutMs)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof OperatorError) throw error
        if (!(await launched.catch(() => null))?.connected) relaunch(ownGeneration)
        if (attempt > 0) throw error
      }
    }
  }

  return {
    run: (work, timeoutMs = pageTimeoutMs) => queue.add(() => runTwice(work, timeoutMs)),
    async close() {
      await launched.then(closeBrowser, () => {})
    },
  }
}

const tooLong = () => new Error('it took too long')

/** Leaves the page: requests that it still makes would count for the next page of the tab. Returns false if it does not go. */
async function leavePage(page: Page): Promise<boolean> {
  try {
    await page.goto('about:blank', { timeout: closeTabWithinMs })
    return true
  } catch {
    return false
  }
}

/** Fails as soon as the tab crashes. Without this check, the work would end only at its timeout. */
async function untilCrash<T>(page: Page, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  page.once('error', reject)
  try {
    return await Promise.race([work, promise])
  } finally {
    page.off('error', reject)
    work.catch(() => {})
  }
}
