import { setTimeout as sleep } from 'node:timers/promises'
import type { HTTPRequest } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import type { NamedReference } from '../../in-page/browser/reference-signs.ts'
import { splitWords } from '../html/page-text.ts'
import { type Answerer, type BrowserAnswer, sameFile } from './browser-request.ts'
import { readMenuText, readVisibleText, scrollThrough, serializePage } from './in-page.ts'
import { firstLine, type LaunchOptions } from './launch.ts'
import { forget, settle } from './settle.ts'
import { type ShownReference, showReferences } from './show-references.ts'
import { clearStorage, openTab, type Showing, startRequests, type Tab, toBrowserRequest } from './tab.ts'
import { openTabPool } from './tab-pool.ts'

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
  /** Whether the page made more requests than allowed. The additional requests were refused. */
  isCut: boolean
}

export interface Renderer {
  /**
   * Shows a page and reads it once it is quiet. Retries once, in a new browser if the browser crashed.
   *
   * @param html the server's answer for the page itself, already fetched.
   * @param answer answers all other requests of the page.
   * @param timeoutMs max time for the page; absent = `pageTimeoutMs`.
   * @throws {RenderError} if the page cannot be shown.
   */
  render(url: URL, html: BrowserAnswer, answer: Answerer, timeoutMs?: number): Promise<RenderedPage>
  close(): Promise<void>
}

export interface RendererOptions extends LaunchOptions {
  pageTimeoutMs: number
  /** Max requests of one page. */
  pageRequests: number
  signal: AbortSignal
  /** The API references to open and to freeze. */
  references: readonly NamedReference[]
  /** Returns the share of this browser in a number of tabs; at least 1. */
  share?(whole: number): number
}

/** Thrown when one page cannot be shown. */
export class RenderError extends Error {}

const maxTabs = 4
const maxScrollSteps = 60
const byScripts = new Set(['script', 'xhr', 'fetch', 'other', 'image', 'stylesheet', 'font'])
/** How many times to wait `lookMs` for the page to process our answer. */
const answeredLooks = 30
const refusedLooks = 3
const lookMs = 100

/**
 * Starts a browser without access to the network that renders a few pages at a time.
 *
 * @throws {BrowserStartError}
 */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  const { pageTimeoutMs, pageRequests, signal, references, share = whole => whole } = options
  const countTabs = () => share(maxTabs)
  const pool = await openTabPool({ ...options, countTabs, openTab: browser => openTab(browser, answerRequest) })
  return {
    async render(url, html, answer, timeoutMs = pageTimeoutMs) {
      try {
        return await pool.run(tab => {
          const start = startRequests(pageRequests)
          const showing = { ...start, url, html, answer, references, isDocumentSent: false, loaded: [] }
          return showPage(tab, showing, timeoutMs)
        }, timeoutMs)
      } catch (error) {
        if (signal.aborted || error instanceof OperatorError) throw error
        throw new RenderError(`the browser could not show the page (${firstLine(error)})`, { cause: error })
      }
    },
    close: () => pool.close(),
  }
}

interface Rendering extends Showing {
  url: URL
  html: BrowserAnswer
  answer: Answerer
  references: readonly NamedReference[]
  isDocumentSent: boolean
  loaded: URL[]
}

async function showPage(tab: Tab<Rendering>, showing: Rendering, timeoutMs: number): Promise<RenderedPage> {
  const { page, client } = tab
  const { url, loaded } = showing
  await clearStorage(tab, url, timeoutMs)
  tab.showing = showing
  const deadline = performance.now() + timeoutMs * 0.8
  await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
  await settle(client, showing, deadline)
  if (await scrollThrough(page, maxScrollSteps)) await settle(client, showing, deadline)
  const references = await showReferences(tab, showing, deadline)
  const words = splitWords(await readVisibleText(page))
  const menuWords = splitWords(await readMenuText(page))
  const { html, baseUrl } = await serializePage(page)
  return { html, url: new URL(baseUrl), words, menuWords, loaded, references, isCut: showing.requestsLeft < 0 }
}

async function answerRequest(
  tab: Tab<Rendering>,
  showing: Rendering,
  request: HTTPRequest,
  isNavigation: boolean,
): Promise<void> {
  const isDocument = isNavigation && !showing.isDocumentSent && sameFile(request.url(), showing.url.href)
  if (isDocument) showing.isDocumentSent = true
  const answered = isDocument ? showing.html : await showing.answer(toBrowserRequest(request, isNavigation))
  if (!isNavigation && answered?.status === 200 && byScripts.has(request.resourceType()))
    showing.loaded.push(new URL(request.url()))
  if (answered) await request.respond(answered)
  // An empty answer keeps the current page. After an error, the browser would show its error page.
  else if (isNavigation) await request.respond({ status: 204 })
  else await request.abort('blockedbyclient')
  // The browser does not always report the end of a refused request or of a frame's page.
  const isReported = answered && !request.isNavigationRequest()
  await forgetLater(tab, showing, request.url(), isReported ? answeredLooks : refusedLooks)
}

/** Stops waiting for an answered request whose end is not reported. A busy page gets more time to process its answer. */
async function forgetLater(tab: Tab, showing: Showing, url: string, looks: number): Promise<void> {
  const isOpen = () => [...showing.open.values()].some(request => request.url === url)
  for (let look = 0; look < looks && tab.showing === showing && isOpen(); look += 1) {
    await sleep(lookMs, undefined, { ref: false })
    await tab.client.send('Runtime.evaluate', { expression: '0' })
  }
  forget(showing, url)
}
