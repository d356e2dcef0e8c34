import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import type { NamedReference } from '../../in-page/browser/reference-signs.ts'
import type { CopiedPanel } from '../../in-page/panels/copied-panel.ts'
import type { ControlState } from '../../in-page/panels/pressed-control.ts'
import { splitWords } from '../html/page-text.ts'
import { type Answerer, type BrowserAnswer, decodeBody, sameFile } from './browser-request.ts'
import type { BrowserTabs } from './browser-tabs.ts'
import { copyPanels, learnOutline, readMenuText, readVisibleText, scrollThrough, serializePage } from './in-page.ts'
import { firstLine } from './launch.ts'
import { followLink, noUse, pressControls } from './page-controls.ts'
import { finishLook, type PageLook, readText, tryTheme } from './page-look.ts'
import { forget, settle } from './settle.ts'
import { type ShownReference, showReferences } from './show-references.ts'
import { clearStorage, toBrowserRequest } from './tab.ts'
import { keepFaults, startWatching, type Watched, type WatchedTab } from './watched-tab.ts'

/** A page after its scripts have run. */
export interface RenderedPage {
  html: string
  /** The base of the page's relative addresses, before any base element. */
  url: URL
  /** The words a reader sees. */
  words: string[]
  /** The words in menus and bars, also included in `words`. */
  menuWords: string[]
  /** Files that the page's scripts loaded: data, modules, workers. */
  loaded: URL[]
  /** The API references in the page. Their collapsed parts are open, and what sends requests is removed. */
  references: ShownReference[]
  /** The panels of tabs that the page contains only after a click. */
  panels: CopiedPanel[]
  /** What presses of controls change. */
  states: ControlState[]
  /** Whether the page made more requests than allowed. The additional requests were refused. */
  isCut: boolean
  /** The page as a visitor sees it at first, before it is scrolled, and whether its theme button works. */
  look: PageLook
}

interface Renderer {
  /**
   * Shows a page and reads it once it is quiet. Retries once, in a new browser if the browser crashed.
   *
   * @param html the server's answer for the page itself, already fetched.
   * @param answer answers all other requests of the page.
   * @param timeoutMs max time for the page; absent = `pageTimeoutMs`.
   * @throws {RenderError} if the page cannot be shown.
   */
  render(url: URL, html: BrowserAnswer, answer: Answerer, timeoutMs?: number): Promise<RenderedPage>
}

interface RenderOptions {
  pageTimeoutMs: number
  /** Max requests of one page. */
  pageRequests: number
  signal: AbortSignal
  /** The API references to open and to freeze. */
  references: readonly NamedReference[]
  /** Decides whether an address belongs to a third-party product that stays in the bundle. Its failures are ignored. */
  isOutside?(url: URL): boolean
}

/** Thrown when one page cannot be shown. */
export class RenderError extends Error {}

/** Max pages rendered concurrently. */
export const rendererTabs = 4
const maxScrollSteps = 60
const byScripts = new Set(['script', 'xhr', 'fetch', 'other', 'image', 'stylesheet', 'font'])
/** How many times to wait `lookMs` for the page to process our answer. */
const answeredLooks = 30
const refusedLooks = 3
const lookMs = 100

/** Creates a renderer that uses these tabs and does not close them. */
export function createRenderer(tabs: BrowserTabs, options: RenderOptions): Renderer {
  const { pageTimeoutMs, signal } = options
  return {
    async render(url, html, answer, timeoutMs = pageTimeoutMs) {
      const pool = await tabs.open()
      try {
        return await pool.run(
          tab => showPage(tab, startRendering(tab, { url, html, answer }, options), timeoutMs),
          timeoutMs,
        )
      } catch (error) {
        if (signal.aborted || error instanceof OperatorError) throw error
        throw new RenderError(`the browser could not show the page (${firstLine(error)})`, { cause: error })
      }
    },
  }
}

interface Rendering {
  url: URL
  /** The page as the server sent it. */
  served: string
  showing: Watched
  /** Files that the page's scripts loaded. */
  loaded: URL[]
  references: readonly NamedReference[]
}

function startRendering(
  tab: WatchedTab,
  { url, html, answer }: { url: URL; html: BrowserAnswer; answer: Answerer },
  { pageRequests, references, isOutside = () => false }: RenderOptions,
): Rendering {
  const loaded: URL[] = []
  let isDocumentSent = false
  const showing = startWatching(pageRequests, {
    ...{ address: url.href, staysOnReload: true, isOutside },
    async answer(request, isNavigation) {
      const isDocument = isNavigation && !isDocumentSent && sameFile(request.url(), url.href)
      if (isDocument) isDocumentSent = true
      const answered = isDocument ? html : await answer(toBrowserRequest(request, isNavigation))
      if (!isNavigation && answered?.status === 200 && byScripts.has(request.resourceType()))
        loaded.push(new URL(request.url()))
      return answered
    },
    onAnswered(request, isAnswered) {
      // The browser does not always report the end of a refused request or of a frame's page.
      const isReported = isAnswered && !request.isNavigationRequest()
      return forgetLater(tab, showing, request.url(), isReported ? answeredLooks : refusedLooks)
    },
  })
  return { url, served: decodeBody(html), showing, loaded, references }
}

async function showPage(
  tab: WatchedTab,
  { url, served, showing, loaded, references: known }: Rendering,
  timeoutMs: number,
): Promise<RenderedPage> {
  const { page } = tab
  await clearStorage(tab, url, timeoutMs)
  tab.showing = showing
  const deadline = performance.now() + timeoutMs * 0.8
  await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
  await settle(tab, showing, deadline)
  const seen = await readText(page, showing)
  const hasScrolled = await scrollThrough(page, maxScrollSteps)
  if (hasScrolled) await settle(tab, showing, deadline)
  const references = await showReferences(tab, showing, known, deadline)
  const isChanged = hasScrolled || references.length > 0
  const words = splitWords(isChanged ? await readVisibleText(page) : seen.text)
  const menuWords = splitWords(await readMenuText(page))
  const { html, baseUrl } = await serializePage(page)
  const outline = await learnOutline(page, served)
  const isCut = showing.requestsLeft < 0
  // These come last, because they change the page.
  const panels = references.length > 0 ? [] : await copyAllPanels(page, () => settle(tab, showing, deadline))
  const switchesTheme = await tryTheme(page, () => settle(tab, showing, deadline))
  const before = keepFaults(showing)
  // The buttons of an API reference send requests.
  const { pressed: controls, states } =
    references.length > 0 ? noUse : await pressControls(page, () => settle(tab, showing, deadline))
  const follows = await followLink(page, () => settle(tab, showing, deadline), seen)
  const look = finishLook(page, before, seen, { switchesTheme, outline, controls, follows })
  return { html, url: new URL(baseUrl), words, menuWords, loaded, references, panels, states, isCut, look }
}

/** Stops waiting for an answered request whose end is not reported. A busy page gets more time to process its answer. */
async function forgetLater(tab: WatchedTab, showing: Watched, url: string, looks: number): Promise<void> {
  const isOpen = () => [...showing.open.values()].some(request => request.url === url)
  for (let look = 0; look < looks && tab.showing === showing && isOpen(); look += 1) {
    await sleep(lookMs, undefined, { ref: false })
    await tab.client.send('Runtime.evaluate', { expression: '0' })
  }
  forget(showing, url)
}

/** Max tabs of one list, and one step that selects the first tab again. */
const maxTabSteps = 13

/**
 * Copies the panels that a page contains only after a click on their tab.
 *
 * @param settle waits until the page is quiet.
 */
async function copyAllPanels(page: Page, settle: () => Promise<void>): Promise<CopiedPanel[]> {
  for (let step = 0; step <= maxTabSteps; step += 1) {
    const { clicks, panels } = await copyPanels(page, step)
    if (clicks === 0) return panels
    await settle()
  }
  return []
}
