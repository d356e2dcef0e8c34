import puppeteer, { type Browser, type Page } from 'puppeteer'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { openRecordingProxy, type RecordingProxy } from './recording-proxy.ts'

/** What a page requested and reported during a visit. */
export interface Look {
  /** Requests that failed or were answered with an error: URL and reason. */
  failed: string[]
  /** Console errors and exceptions, except those that only repeat a failed request. */
  errors: string[]
  /** Requests to any other host: METHOD URL. */
  outbound: string[]
}

export interface Visitor {
  /** Opens a page in a new tab, and runs `act` there before the tab is closed. Only `host` can be reached. */
  visit<T = undefined>(
    url: string,
    host: string | null,
    act?: (page: Page) => Promise<T>,
  ): Promise<{ look: Look; acted: T | undefined }>
  close(): Promise<void>
}

const pageTimeoutMs = 20_000

/** Starts a browser that can only reach the recording proxy. */
export async function openVisitor(): Promise<Visitor> {
  const proxy = await openRecordingProxy()
  const browser = await launch(proxy).catch(async error => {
    await proxy.close()
    throw error
  })
  return {
    async visit(url, host, act) {
      proxy.allow(host)
      proxy.takeRefused()
      // A separate context: stored data of one page must not change another page.
      const context = await browser.createBrowserContext()
      try {
        const page = await context.newPage()
        await page.setViewport({ width: 1280, height: 900 })
        const { failed, errors } = listen(page)
        await page.goto(url, { waitUntil: 'load', timeout: pageTimeoutMs })
        await settle(page)
        const acted = act && (await act(page))
        const look = {
          failed: [...failed].map(([address, why]) => `${address} ${why}`),
          errors: [...errors],
          outbound: proxy.takeRefused(),
        }
        return { look, acted }
      } finally {
        await context.close().catch(() => {})
      }
    },
    async close() {
      await browser.close().catch(() => {})
      await proxy.close()
    },
  }
}

/** Waits until loading and changes have ended, up to a few seconds. */
export async function settle(page: Page): Promise<void> {
  await page.waitForNetworkIdle({ idleTime: 150, timeout: 5000 }).catch(() => {})
  await page.evaluate(waitForQuietDocument, 150, 3000).catch(() => {})
}

function launch(proxy: RecordingProxy): Promise<Browser> {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error(`No Chromium found. Install it with: ${installCommand()}`)
  return puppeteer.launch({
    executablePath,
    pipe: true,
    protocolTimeout: 60_000,
    args: [
      `--proxy-server=${proxy.address}`,
      '--proxy-bypass-list=<-loopback>',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-features=HttpsUpgrades,OptimizationHints,MediaRouter',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
}

/** Resolves when the document has not changed for `quietMs`, or after `capMs`. Runs inside a page, so it must be self-contained. */
function waitForQuietDocument(quietMs: number, capMs: number): Promise<void> {
  return new Promise(resolve => {
    let timer = setTimeout(end, quietMs)
    const cap = setTimeout(end, capMs)
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(end, quietMs)
    })
    observer.observe(document, { childList: true, characterData: true, subtree: true })
    function end() {
      observer.disconnect()
      clearTimeout(timer)
      clearTimeout(cap)
      resolve()
    }
  })
}

/** Records errors, and failed requests by address. A request that has an error status and also fails keeps the status. */
function listen(page: Page): { failed: Map<string, string>; errors: Set<string> } {
  const failed = new Map<string, string>()
  const errors = new Set<string>()
  page.on('requestfailed', request => {
    if (!failed.has(request.url())) failed.set(request.url(), request.failure()?.errorText ?? '')
  })
  page.on('response', response => {
    if (response.status() >= 400) failed.set(response.url(), String(response.status()))
  })
  page.on('pageerror', error => errors.add(String(error).split('\n')[0] ?? ''))
  page.on('console', message => {
    const isRepeat = /Failed to load resource/.test(message.text())
    if (message.type() === 'error' && !isRepeat) errors.add(message.text().slice(0, 300))
  })
  return { failed, errors }
}
