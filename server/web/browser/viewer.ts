import type { Browser, CDPSession, HTTPRequest, Page } from 'puppeteer'
import { createQueue } from '../../base/queue.ts'
import { splitWords } from '../html/page-text.ts'
import type { BrowserAnswer, BrowserRequest } from './browser-request.ts'
import { isTakenOver, readVisibleText, watchPage } from './in-page.ts'
import { closeBrowser, launch } from './launch.ts'
import { forget, type OpenRequests, sameFile, settle, untilCrash, withDeadline } from './settle.ts'

/** What a page showed when it was opened. */
export interface PageLook {
  /** The words a reader sees. */
  words: string[]
  /** Addresses that it asked for in vain. */
  failed: string[]
  /** Errors of its scripts and of the policy, one line each. */
  errors: string[]
  /** Other files that it loaded. */
  loaded: string[]
  /** Those of them that a script asked for. */
  byScript: string[]
  /** Whether a framework has taken its elements over. */
  isTakenOver: boolean
}

/** What the page gets: an answer; the file itself, for file: addresses; or nothing. */
export type ViewAnswerer = (request: BrowserRequest) => Promise<BrowserAnswer | 'file' | null>

/** Opens pages as a visitor would, with every address refused that the answerer does not know. */
export interface BundleViewer {
  /** Null when the browser could not show the page, twice. */
  look(address: string, answer: ViewAnswerer): Promise<PageLook | null>
  close(): Promise<void>
}

export interface BundleViewerOptions {
  executablePath: string
  profileFolder: string
  pageTimeoutMs: number
  /** What one page may ask for. */
  pageRequests: number
  signal: AbortSignal
  /** Addresses of products that stay: they are loaded from their vendors, whom nobody asks during a check. */
  isOutside?(url: URL): boolean
}

/** How many pages are open at once. */
export const viewerTabs = 3

export async function openBundleViewer(options: BundleViewerOptions): Promise<BundleViewer> {
  const { signal, isOutside = () => false } = options
  let generation = 0
  let browser = await launch(options, generation)
  let relaunching: Promise<void> | null = null
  const queue = createQueue(viewerTabs)
  const idleTabs: Tab[] = []

  /** Starts another browser in the place of one that is gone. */
  async function ensureBrowser(): Promise<void> {
    if (browser.connected) return
    relaunching ??= (async () => {
      idleTabs.length = 0
      await closeBrowser(browser)
      generation += 1
      browser = await launch(options, generation)
    })().finally(() => {
      relaunching = null
    })
    await relaunching
  }

  async function lookOnce(address: string, answer: ViewAnswerer): Promise<PageLook> {
    const tab = idleTabs.pop() ?? (await openTab(browser, isOutside))
    let isReusable = false
    try {
      const look = await withDeadline(
        untilCrash(tab.page, lookAt(tab, address, answer, options)),
        options.pageTimeoutMs,
        signal,
      )
      isReusable = true
      return look
    } finally {
      tab.showing = null
      if (isReusable) idleTabs.push(tab)
      else if (!signal.aborted)
        void tab.page
          .browserContext()
          .close()
          .catch(() => {})
    }
  }

  return {
    look: (address, answer) =>
      queue.add(async () => {
        for (let attempt = 0; attempt < 2; attempt += 1) {
          signal.throwIfAborted()
          try {
            await ensureBrowser()
            return await lookOnce(address, answer)
          } catch {
            signal.throwIfAborted()
          }
        }
        return null
      }),
    async close() {
      await relaunching?.catch(() => {})
      await closeBrowser(browser)
    },
  }
}

/** A tab, and what the page in it does; null between two pages. */
interface Tab {
  page: Page
  client: CDPSession
  showing: Showing | null
}

interface Showing extends OpenRequests {
  address: string
  answer: ViewAnswerer
  failed: Set<string>
  errors: Set<string>
  loaded: Set<string>
  byScript: Set<string>
  requestsLeft: number
}

async function openTab(browser: Browser, isOutside: (url: URL) => boolean): Promise<Tab> {
  const context = await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } })
  const page = await context.newPage()
  const client = await page.createCDPSession()
  const tab: Tab = { page, client, showing: null }
  await Promise.all([
    page.setViewport({ width: 1280, height: 900 }),
    page.setBypassServiceWorker(true),
    page.evaluateOnNewDocument(watchPage),
    page.setRequestInterception(true),
    client.send('Network.enable'),
  ])
  page.on('dialog', dialog => void dialog.dismiss().catch(() => {}))
  page.on('pageerror', error => tab.showing?.errors.add(firstLine(error)))
  page.on('console', message => {
    // A request that fails is told for itself.
    if (message.type() !== 'error' || /Failed to load resource/.test(message.text())) return
    const refused = refusedAddress(message.text())
    // What the policy of a bundle refuses is a request in vain, as it is at the origin, where we refuse it.
    if (refused === null) tab.showing?.errors.add(firstLine(message.text()))
    else if (!isOutside(new URL(refused))) tab.showing?.failed.add(refused)
  })
  page.on('requestfailed', request => {
    if (request.failure()?.errorText === 'net::ERR_ABORTED' || isOutside(new URL(request.url()))) return
    tab.showing?.failed.add(request.url())
  })
  page.on('request', request => void answerRequest(tab, request).catch(() => {}))
  client.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
    if (/^(EventSource|WebSocket|Ping|Preflight)$/.test(type ?? '') || !/^(https?|file):/.test(request.url)) return
    tab.showing?.open.set(requestId, { url: request.url, startedAt: performance.now() })
  })
  const close = ({ requestId }: { requestId: string }) => {
    if (tab.showing?.open.delete(requestId)) tab.showing.finished += 1
  }
  client.on('Network.loadingFinished', close)
  client.on('Network.loadingFailed', close)
  return tab
}

async function lookAt(
  tab: Tab,
  address: string,
  answer: ViewAnswerer,
  { pageTimeoutMs: timeoutMs, pageRequests }: BundleViewerOptions,
): Promise<PageLook> {
  const { page, client } = tab
  const { origin } = new URL(address)
  // From one fragment of a page to another is no start of the page.
  if (address.includes('#')) await page.goto('about:blank', { timeout: timeoutMs })
  // What one page stores must not change another.
  if (origin !== 'null')
    await client.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' }).catch(() => {})
  const showing: Showing = {
    address,
    answer,
    open: new Map(),
    finished: 0,
    failed: new Set(),
    errors: new Set(),
    loaded: new Set(),
    byScript: new Set(),
    requestsLeft: pageRequests,
  }
  tab.showing = showing
  await page.goto(address, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
  await settle(client, showing, performance.now() + timeoutMs * 0.8)
  const words = splitWords(await page.evaluate(readVisibleText))
  const sorted = (found: Set<string>) => [...found].sort()
  return {
    words,
    failed: sorted(showing.failed),
    errors: sorted(showing.errors),
    loaded: sorted(showing.loaded),
    byScript: sorted(showing.byScript),
    isTakenOver: await page.evaluate(isTakenOver),
  }
}

async function answerRequest({ page, showing }: Tab, request: HTTPRequest): Promise<void> {
  // What comes after a page was read has nobody to answer it.
  if (!showing) return request.abort('aborted')
  showing.requestsLeft -= 1
  if (showing.requestsLeft < 0) {
    forget(showing, request.url())
    return request.abort('aborted')
  }
  const isMain = request.isNavigationRequest() && request.frame() === page.mainFrame()
  const answered = await showing
    .answer({
      url: request.url(),
      method: request.method(),
      resourceType: request.resourceType(),
      isNavigation: isMain,
      origin: request.headers().origin ?? null,
    })
    .catch(() => null)
  if (answered && answered !== 'file' && answered.status >= 400) showing.failed.add(request.url())
  if (answered && !isMain) showing.loaded.add(request.url())
  if (answered && request.initiator()?.type === 'script') showing.byScript.add(request.url())
  if (answered === 'file') await request.continue()
  else if (answered) await request.respond(answered)
  // It stays where it is, without an error page in its place.
  else if (isMain && !sameFile(request.url(), showing.address)) await request.respond({ status: 204 })
  else await request.abort('blockedbyclient')
}

/** The address that a policy kept a page from asking, by what the browser says of it; null in all other messages. */
function refusedAddress(message: string): string | null {
  // In several sentences: "Connecting to 'ADDRESS' violates ...", "Fetch API cannot load ADDRESS. Refused to connect ...".
  const before = /^(.*?)\bviolates\b.*Content Security Policy/s.exec(message)?.[1] ?? ''
  const address = /https?:\/\/[^\s'"]+/.exec(before)?.[0].replace(/\.$/, '')
  return address !== undefined && URL.canParse(address) ? address : null
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  // The same error has another head on file://, where a page and its scripts are strangers to each other.
  const plain = text.replace(/^(?:Error: )?Uncaught (?:\(in promise\) )?(?=\w*Error\b)/, '')
  return plain.split('\n')[0]?.slice(0, 300) ?? ''
}
