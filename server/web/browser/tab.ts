import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, HTTPRequest, Page } from 'puppeteer'
import type { BrowserRequest } from './browser-request.ts'
import { watchPage } from './in-page.ts'
import { forget, type OpenRequests } from './settle.ts'

/** A browser tab and its current page; null between two pages. */
export interface Tab<S extends Showing = Showing> {
  page: Page
  client: CDPSession
  showing: S | null
}

/** State of the current page of a tab. */
export interface Showing extends OpenRequests {
  /** How many more requests the page may make. Negative after too many requests. */
  requestsLeft: number
}

/** Answers one request. `isNavigation` = the page itself navigates to the address. */
export type RequestHandler<S extends Showing> = (
  tab: Tab<S>,
  showing: S,
  request: HTTPRequest,
  isNavigation: boolean,
) => Promise<void>

/** Requests that never end. */
const endless = new Set(['EventSource', 'WebSocket', 'Ping', 'Preflight'])

/** What the pages of a site get of a recorded login, and where the headers of their scripts go. */
export interface SignedIn {
  /** The script that gives a page its storage, see `restoreLogin`. */
  restore: string
  noteHeaders(url: URL, headers: Readonly<Record<string, string>>): void
}

/** Opens a tab. `handle` answers all its requests. */
export async function openTab<S extends Showing>(
  browser: Browser,
  handle: RequestHandler<S>,
  login: SignedIn | null = null,
): Promise<Tab<S>> {
  // Each tab has a separate context, so data stored by one page cannot affect another.
  const context = await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } })
  const page = await context.newPage()
  const client = await page.createCDPSession()
  const tab: Tab<S> = { page, client, showing: null }
  await Promise.all([
    page.setViewport({ width: 1280, height: 900 }),
    page.setBypassServiceWorker(true),
    page.evaluateOnNewDocument(watchPage),
    login && page.evaluateOnNewDocument(login.restore),
    page.setRequestInterception(true),
    // Several tabs are open at once. Without this, only the front one fires focus events, which load some searches.
    client.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
  ])
  page.on('dialog', dialog => void dialog.dismiss().catch(() => {}))
  page.on('request', request => {
    if (/^(?:fetch|xhr)$/.test(request.resourceType())) login?.noteHeaders(new URL(request.url()), request.headers())
    void answerRequest(tab, request, handle).catch(() => {})
  })
  await client.send('Network.enable')
  client.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
    // Only the worker receives the end of its script (blob:).
    if (endless.has(type ?? '') || !/^(https?|file):/.test(request.url)) return
    tab.showing?.open.set(requestId, { url: request.url, startedAt: performance.now() })
  })
  const onEnd = ({ requestId }: { requestId: string }) => {
    if (tab.showing?.open.delete(requestId)) tab.showing.finished += 1
  }
  client.on('Network.loadingFinished', onEnd)
  client.on('Network.loadingFailed', onEnd)
  return tab
}

/** How often to wait `workerLookMs` for a worker to start. */
const workerLooks = 6
const workerLookMs = 100

/** Waits until a worker had time to make its next request, and then no longer waits for the answered request of the worker. */
async function forgetWorker({ client }: Tab, { open }: Showing, id: string): Promise<void> {
  for (let look = 0; look < workerLooks && open.has(id); look += 1) {
    await sleep(workerLookMs, undefined, { ref: false })
    // A busy page gets more time.
    await client.send('Runtime.evaluate', { expression: '0' }).catch(() => {})
  }
  open.delete(id)
}

/**
 * Finds the id of the script of a worker, of which Chromium reports the end only to the worker. It requests such a script
 * outside of the page, under an id without a dot. Undefined for other requests.
 */
function findWorkerScript({ open }: Showing, request: HTTPRequest): string | undefined {
  if (request.resourceType() !== 'script') return undefined
  return [...open].find(([id, { url }]) => url === request.url() && !id.includes('.'))?.[0]
}

/** Clears the storage before a page starts, so the page cannot read data stored by another page. */
export async function clearStorage({ page, client }: Tab, url: URL, timeoutMs: number): Promise<void> {
  // Navigation between fragments of one page would not reload the page.
  if (url.hash !== '') await page.goto('about:blank', { timeout: timeoutMs })
  if (url.origin === 'null') return
  await client.send('Storage.clearDataForOrigin', { origin: url.origin, storageTypes: 'all' }).catch(() => {})
}

/** Returns the state of a page without requests. */
export function startRequests(maxRequests: number): Showing {
  return { open: new Map(), finished: 0, requestsLeft: maxRequests }
}

export function toBrowserRequest(request: HTTPRequest, isNavigation: boolean): BrowserRequest {
  return {
    url: request.url(),
    method: request.method(),
    sent: request.postData(),
    resourceType: request.resourceType(),
    isNavigation,
    origin: request.headers().origin ?? null,
  }
}

async function answerRequest<S extends Showing>(
  tab: Tab<S>,
  request: HTTPRequest,
  handle: RequestHandler<S>,
): Promise<void> {
  const { page, showing } = tab
  // Requests after the page was read get no answer.
  if (!showing) return request.abort('aborted')
  showing.requestsLeft -= 1
  if (showing.requestsLeft < 0) {
    forget(showing, request.url())
    return request.abort('aborted')
  }
  const isNavigation = request.isNavigationRequest() && request.frame() === page.mainFrame()
  // The end of a request of a worker is reported only to the worker.
  const ownId = request.frame() === null ? `worker ${request.url()}` : undefined
  if (ownId) showing.open.set(ownId, { url: request.url(), startedAt: performance.now() })
  try {
    await handle(tab, showing, request, isNavigation)
    const id = ownId ?? findWorkerScript(showing, request)
    if (id) await forgetWorker(tab, showing, id)
  } catch {
    await request.abort('failed').catch(() => {})
    forget(showing, request.url())
  }
}
