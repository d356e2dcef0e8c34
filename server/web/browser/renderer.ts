import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, HTTPRequest, Page } from 'puppeteer'
import { createQueue } from '../../base/queue.ts'
import { ExportError } from '../../export/model/export-error.ts'
import type { Answerer, BrowserAnswer } from '../../export/render/answer-browser.ts'
import { splitWords } from '../html/page-text.ts'
import { readMenuText, readVisibleText, scrollThrough, serializePage, waitForQuiet, watchPage } from './in-page.ts'

/** A page as it stands when its scripts have done their work. */
export interface RenderedPage {
  html: string
  /** What its relative addresses are relative to, before any base element. */
  url: URL
  /** The words a reader sees. */
  words: string[]
  /** Those of them that stand in menus and bars. */
  menuWords: string[]
  /** What its scripts loaded by themselves: data, modules, workers. */
  loaded: URL[]
  /** It asked for more than a page may; the rest was refused. */
  isCut: boolean
}

export interface Renderer {
  /**
   * Shows a page and reads it when it is quiet. Repeated once on a fresh browser when that one breaks.
   *
   * @param html what the server answers there, already fetched.
   * @param answer everything else that the page asks for.
   * @throws {RenderError} when the page cannot be shown.
   */
  render(url: URL, html: BrowserAnswer, answer: Answerer): Promise<RenderedPage>
  close(): Promise<void>
}

/** One page could not be shown. */
export class RenderError extends Error {}

export interface RendererOptions {
  executablePath: string
  /** Folder for the empty profile. */
  profileFolder: string
  pageTimeoutMs: number
  /** What one page may ask for. */
  pageRequests: number
  signal: AbortSignal
}

const tabCount = 4
/** A document is finished when all it asked for is there and so many turns of its event loop changed nothing. */
const quietTurns = 6
const quietExpression = `(${waitForQuiet})(${quietTurns}, 1000)`
/** A request that takes longer than this is not waited for. */
const mostWaitMs = 10_000
/** Whether the page noticed our answer is asked so many times, this far apart and each time through the page itself. */
const answeredLooks = 30
const refusedLooks = 3
const lookMs = 100
/** Requests that never end. */
const endless = new Set(['EventSource', 'WebSocket', 'Ping', 'Preflight'])
/** How often a document may be found changing (clocks, tickers) when all its requests are answered; a second each. */
const mostRestless = 3
const mostScrollSteps = 60

const byScripts = new Set(['script', 'xhr', 'fetch', 'other', 'image', 'stylesheet', 'font'])

/**
 * Everything the browser needs comes from our fetcher by interception. What interception does not see (websockets,
 * workers, prefetches, WebRTC) meets a proxy whose name resolves to nothing.
 */
const sealedArguments = [
  '--proxy-server=http://sealed.invalid:1',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-gpu',
  '--disable-quic',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--no-pings',
  '--no-default-browser-check',
  '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,DialMediaRouteProvider,Prerender2',
]

/** Starts a browser that can reach nothing by itself, with a few tabs that are used again and again. */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  const { signal } = options
  const queue = createQueue(tabCount)
  let generation = 0
  let launched: Promise<Browser> = launch(options, generation)
  const idleTabs: Tab[] = []
  await launched

  const relaunch = (broken: number) => {
    if (broken !== generation || signal.aborted) return
    generation += 1
    const old = launched
    launched = old.then(closeBrowser, () => {}).then(() => launch(options, generation))
  }

  async function takeTab() {
    for (let tab = idleTabs.pop(); tab; tab = idleTabs.pop()) {
      if (tab.generation === generation && !tab.page.isClosed()) return tab
    }
    const own = generation
    return openTab(await launched, own)
  }

  async function renderOnce(url: URL, html: BrowserAnswer, answer: Answerer): Promise<RenderedPage> {
    const tab = await takeTab()
    let isReusable = false
    try {
      const shown = untilCrash(tab.page, showPage(tab, url, html, answer, options))
      const rendered = await withDeadline(shown, options.pageTimeoutMs, signal)
      isReusable = true
      return rendered
    } finally {
      if (isReusable) idleTabs.push(tab)
      // After an abort the whole browser is closed; there is nothing to tidy.
      else if (!signal.aborted)
        await withDeadline(tab.page.browserContext().close(), 2000, signal).catch(() => relaunch(tab.generation))
    }
  }

  return {
    render: (url, html, answer) =>
      queue.add(async () => {
        for (let attempt = 0; ; attempt += 1) {
          signal.throwIfAborted()
          const own = generation
          try {
            return await renderOnce(url, html, answer)
          } catch (error) {
            signal.throwIfAborted()
            if (error instanceof ExportError) throw error
            if (!(await launched.catch(() => null))?.connected) relaunch(own)
            if (attempt > 0)
              throw new RenderError(`the browser could not show the page (${firstLine(error)})`, { cause: error })
          }
        }
      }),
    async close() {
      await launched.then(closeBrowser, () => {})
    },
  }
}

/** Starts a browser that can reach nothing by itself. Whoever verifies a bundle uses it, too. */
export async function launch(
  { executablePath, profileFolder }: Pick<RendererOptions, 'executablePath' | 'profileFolder'>,
  generation: number,
): Promise<Browser> {
  // Its modules take longer to load than a small site to export.
  const { default: puppeteer } = await import('puppeteer')
  try {
    const browser = await puppeteer.launch({
      executablePath,
      headless: /headless-shell/.test(executablePath) ? 'shell' : true,
      // A pipe instead of a port: nobody else can drive it, and it ends with this process whatever ends that.
      pipe: true,
      userDataDir: `${profileFolder}-${generation}`,
      args: [...sealedArguments, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: 30_000,
      protocolTimeout: 60_000,
    })
    // The driver stops listening when the browser goes; what it was still writing then fails (EPIPE) with nobody to hear.
    for (const pipe of browser.process()?.stdio ?? []) pipe?.on('error', () => {})
    return browser
  } catch (error) {
    const message = `Chromium (${executablePath}) could not be started: ${firstLine(error)}`
    throw new ExportError(message, 'browser_missing', { cause: error })
  }
}

/** A tab, and the page it is showing; null between two pages. */
interface Tab {
  page: Page
  client: CDPSession
  generation: number
  showing: Showing | null
}

interface Showing extends OpenRequests {
  url: URL
  html: BrowserAnswer
  answer: Answerer
  isDocumentSent: boolean
  loaded: URL[]
  requestsLeft: number
}

/** What a page waits for. */
export interface OpenRequests {
  /** Requests that the page has no answer to yet, by the browser's id for them. */
  open: Map<string, { url: string; startedAt: number }>
  /** How many were answered. */
  finished: number
}

async function openTab(browser: Browser, generation: number): Promise<Tab> {
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

async function showPage(
  tab: Tab,
  url: URL,
  html: BrowserAnswer,
  answer: Answerer,
  { pageTimeoutMs: timeoutMs, pageRequests }: RendererOptions,
): Promise<RenderedPage> {
  const { page } = tab
  const showing: Showing = {
    url,
    html,
    answer,
    isDocumentSent: false,
    loaded: [],
    requestsLeft: pageRequests,
    open: new Map(),
    finished: 0,
  }
  try {
    // From one fragment of a page to another is no start of the page.
    if (url.hash !== '') await page.goto('about:blank', { timeout: timeoutMs })
    await tab.client.send('Storage.clearDataForOrigin', { origin: url.origin, storageTypes: 'all' }).catch(() => {})
    tab.showing = showing
    const deadline = performance.now() + timeoutMs * 0.8
    await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
    await settle(tab.client, showing, deadline)
    if (await page.evaluate(scrollThrough, mostScrollSteps)) await settle(tab.client, showing, deadline)
    const words = splitWords(await page.evaluate(readVisibleText))
    const menuWords = splitWords(await page.evaluate(readMenuText))
    const { html: finished, baseUrl } = await page.evaluate(serializePage)
    return {
      html: finished,
      url: new URL(baseUrl),
      words,
      menuWords,
      loaded: showing.loaded,
      isCut: showing.requestsLeft < 0,
    }
  } finally {
    tab.showing = null
  }
}

/** Whether two addresses are the same but for the fragment, which is no part of a request. */
export function sameFile(a: string, b: string): boolean {
  return a.split('#', 1)[0] === b.split('#', 1)[0]
}

/** Fails as soon as the tab crashes; without that, whoever waits for its answer hears nothing until the time is up. */
export async function untilCrash<T>(page: Page, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  page.once('error', reject)
  try {
    return await Promise.race([work, promise])
  } finally {
    page.off('error', reject)
    work.catch(() => {})
  }
}

/** Waits until the document stopped changing and nothing it asked for is open, or until it had time enough. */
export async function settle(client: CDPSession, showing: OpenRequests, deadline: number): Promise<void> {
  let restless = 0
  while (performance.now() < deadline) {
    if (isWaiting(showing)) {
      await sleep(10)
      continue
    }
    const finished = showing.finished
    // Over the session that tells of requests: both come from the page in order, so a request that the page made before
    // it fell quiet is known when the quiet is, however busy the machine.
    const isQuiet = await client
      .send('Runtime.evaluate', { expression: quietExpression, awaitPromise: true, returnByValue: true })
      .then(({ result }) => result.value === true)
      .catch(error => leftThePage(error))
    const stayedSilent = !isWaiting(showing) && showing.finished === finished
    if (!stayedSilent) continue
    if (!isQuiet) restless += 1
    if (isQuiet || restless >= mostRestless) return
  }
}

/** Stops waiting for an answered request whose end nobody tells; a page that gets no time to notice it has longer. */
async function forgetLater(tab: Tab, showing: Showing, url: string, looks: number): Promise<void> {
  const isOpen = () => [...showing.open.values()].some(request => request.url === url)
  for (let look = 0; look < looks && tab.showing === showing && isOpen(); look += 1) {
    await sleep(lookMs, undefined, { ref: false })
    await tab.client.send('Runtime.evaluate', { expression: '0' })
  }
  forget(showing, url)
}

/** No longer waits for this address. */
export function forget({ open }: OpenRequests, url: string): void {
  for (const [id, request] of open) if (request.url === url) open.delete(id)
}

function isWaiting({ open }: OpenRequests): boolean {
  const now = performance.now()
  for (const { startedAt } of open.values()) if (now - startedAt < mostWaitMs) return true
  return false
}

/** False when the page just moved on; everything else is thrown again. */
function leftThePage(error: unknown): false {
  if (
    /context was destroyed|Cannot find context|Promise was collected|navigated or closed/i.test(
      String((error as Error)?.message),
    )
  )
    return false
  throw error
}

function toBrowserRequest(request: HTTPRequest, isNavigation: boolean) {
  return {
    url: request.url(),
    method: request.method(),
    resourceType: request.resourceType(),
    isNavigation,
    origin: request.headers().origin ?? null,
  }
}

export async function withDeadline<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('it took too long')), ms)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    work.catch(() => {})
  }
}

export async function closeBrowser(browser: Browser): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    browser.process()?.kill('SIGKILL')
    resolve()
  }, 3000)
  await Promise.race([browser.close().catch(() => {}), promise])
  clearTimeout(timer)
}

function firstLine(error: unknown): string {
  const lines = String((error as Error)?.message ?? error).split('\n')
  return lines.find(line => line.trim() !== '')?.trim() ?? 'no reason given'
}
