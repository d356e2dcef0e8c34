import { setTimeout as sleep } from 'node:timers/promises'
import type { HTTPRequest } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import { splitWords } from '../html/page-text.ts'
import { type Answerer, type BrowserAnswer, sameFile } from './browser-request.ts'
import { readMenuText, readVisibleText, scrollThrough, serializePage } from './in-page.ts'
import { firstLine, type LaunchOptions } from './launch.ts'
import { forget, settle } from './settle.ts'
import { clearStorage, openTab, type Showing, startRequests, type Tab, toBrowserRequest } from './tab.ts'
import { openTabPool } from './tab-pool.ts'

/** A page after its scripts have run. */
export interface RenderedPage {
  html: string
  /** The base of its relative addresses, before any base element. */
  url: URL
  /** The words a reader sees. */
  words: string[]
  /** The words in menus and bars, also part of `words`. */
  menuWords: string[]
  /** Files that its scripts loaded: data, modules, workers. */
  loaded: URL[]
  /** The page made more requests than allowed; the rest was refused. */
  isCut: boolean
}

export interface Renderer {
  /**
   * Shows a page and reads it once it is quiet. Repeated once, on a fresh browser when that one breaks.
   *
   * @param html the server's answer for the page itself, already fetched.
   * @param answer answers all other requests of the page.
   * @throws {RenderError} when the page cannot be shown.
   */
  render(url: URL, html: BrowserAnswer, answer: Answerer): Promise<RenderedPage>
  close(): Promise<void>
}

export interface RendererOptions extends LaunchOptions {
  pageTimeoutMs: number
  /** The maximum of requests of one page. */
  pageRequests: number
  signal: AbortSignal
}

/** One page could not be shown. */
export class RenderError extends Error {}

const tabCount = 4
const maxScrollSteps = 60
const byScripts = new Set(['script', 'xhr', 'fetch', 'other', 'image', 'stylesheet', 'font'])
/** How many times, `lookMs` apart, the page gets time to notice our answer, before we stop waiting for it. */
const answeredLooks = 30
const refusedLooks = 3
const lookMs = 100

/**
 * Starts a browser without access to the network that renders a few pages at a time.
 *
 * @throws {BrowserStartError}
 */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  const { pageTimeoutMs, pageRequests, signal } = options
  const pool = await openTabPool({ ...options, tabCount, openTab: browser => openTab(browser, answerRequest) })
  return {
    async render(url, html, answer) {
      try {
        return await pool.run(tab => {
          const start = startRequests(pageRequests)
          return showPage(tab, { ...start, url, html, answer, isDocumentSent: false, loaded: [] }, pageTimeoutMs)
        })
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
  const words = splitWords(await readVisibleText(page))
  const menuWords = splitWords(await readMenuText(page))
  const { html, baseUrl } = await serializePage(page)
  return { html, url: new URL(baseUrl), words, menuWords, loaded, isCut: showing.requestsLeft < 0 }
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
  // An answer without content keeps the page as it is; after an error the browser would show its error page.
  else if (isNavigation) await request.respond({ status: 204 })
  else await request.abort('blockedbyclient')
  // The browser does not always report the end of a refused request or of a frame's page.
  const isReported = answered && !request.isNavigationRequest()
  await forgetLater(tab, showing, request.url(), isReported ? answeredLooks : refusedLooks)
}

/** Stops waiting for an answered request whose end is not reported. A busy page gets longer to notice its answer. */
async function forgetLater(tab: Tab, showing: Showing, url: string, looks: number): Promise<void> {
  const isOpen = () => [...showing.open.values()].some(request => request.url === url)
  for (let look = 0; look < looks && tab.showing === showing && isOpen(); look += 1) {
    await sleep(lookMs, undefined, { ref: false })
    await tab.client.send('Runtime.evaluate', { expression: '0' })
  }
  forget(showing, url)
}
