import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, HTTPRequest, Page } from 'puppeteer'
import type { Answerer, BrowserAnswer } from './browser-request.ts'
import { watchPage } from './in-page.ts'
import { forget, type OpenRequests, sameFile } from './settle.ts'

/** A tab, and the page it is showing; null between two pages. */
export interface Tab {
  page: Page
  client: CDPSession
  generation: number
  showing: Showing | null
}

export interface Showing extends OpenRequests {
  url: URL
  html: BrowserAnswer
  answer: Answerer
  isDocumentSent: boolean
  loaded: URL[]
  requestsLeft: number
}

export async function openTab(browser: Browser, generation: number): Promise<Tab> {
  // A context of its own per tab: storage that one page leaves behind must not change another.
  const context = await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } })
  const page = await context.newPage()
  const client = await page.createCDPSession()
  const tab: Tab = { page, client, generation, showing: null }
  await Promise.all([
    page.setViewport({ width: 1280, height: 900 }),
    page.setBypassServiceWorker(true),
    page.evaluateOnNewDocument(watchPage),
    page.setRequestInterception(true),
  ])
  page.on('dialog', dialog => void dialog.dismiss().catch(() => {}))
  page.on('request', request => void answerRequest(tab, request).catch(() => {}))
  await client.send('Network.enable')
  client.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
    // The end of a worker's script (blob:) is told to the worker.
    if (endless.has(type ?? '') || !request.url.startsWith('http')) return
    tab.showing?.open.set(requestId, { url: request.url, startedAt: performance.now() })
  })
  const close = ({ requestId }: { requestId: string }) => {
    if (tab.showing?.open.delete(requestId)) tab.showing.finished += 1
  }
  client.on('Network.loadingFinished', close)
  client.on('Network.loadingFailed', close)
  return tab
}

async function answerRequest(tab: Tab, request: HTTPRequest): Promise<void> {
  const { showing } = tab
  // What comes after a page was read has nobody to answer it.
  if (!showing) return request.abort('aborted').catch(() => {})
  showing.requestsLeft -= 1
  if (showing.requestsLeft < 0) {
    forget(showing, request.url())
    return request.abort('aborted').catch(() => {})
  }
  const isMain = request.isNavigationRequest() && request.frame() === tab.page.mainFrame()
  try {
    const isDocument = isMain && !showing.isDocumentSent && sameFile(request.url(), showing.url.href)
    if (isDocument) showing.isDocumentSent = true
    const answered = isDocument ? showing.html : await showing.answer(toBrowserRequest(request, isMain))
    if (!isMain && answered?.status === 200 && byScripts.has(request.resourceType()))
      showing.loaded.push(new URL(request.url()))
    if (answered) await request.respond(answered)
    // An answer without content keeps the page where it is; an error would put one of the browser's own in its place.
    else if (isMain) await request.respond({ status: 204 })
    else await request.abort('blockedbyclient')
    // The end of a refused request, or of a frame's page, is not always told to the page that it was in.
    const isTold = answered && !request.isNavigationRequest()
    await forgetLater(tab, showing, request.url(), isTold ? answeredLooks : refusedLooks)
  } catch {
    await request.abort('failed').catch(() => {})
    forget(showing, request.url())
  }
}
export const byScripts = new Set(['script', 'xhr', 'fetch', 'other', 'image', 'stylesheet', 'font'])
/** Requests that never end. */
export const endless = new Set(['EventSource', 'WebSocket', 'Ping', 'Preflight'])
/** Whether the page noticed our answer is asked so many times, this far apart and each time through the page itself. */
export const answeredLooks = 30
export const refusedLooks = 3
export function toBrowserRequest(request: HTTPRequest, isNavigation: boolean) {
  return {
    url: request.url(),
    method: request.method(),
    resourceType: request.resourceType(),
    isNavigation,
    origin: request.headers().origin ?? null,
  }
}
const lookMs = 100

/** Stops waiting for an answered request whose end nobody tells; a page that gets no time to notice it has longer. */
async function forgetLater(tab: Tab, showing: Showing, url: string, looks: number): Promise<void> {
  const isOpen = () => [...showing.open.values()].some(request => request.url === url)
  for (let look = 0; look < looks && tab.showing === showing && isOpen(); look += 1) {
    await sleep(lookMs, undefined, { ref: false })
    await tab.client.send('Runtime.evaluate', { expression: '0' })
  }
  forget(showing, url)
}
