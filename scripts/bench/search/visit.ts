import puppeteer, { type Browser, type Page } from 'puppeteer'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'

/** Measurements of opening a page from file://, opening the search and typing a question. Times in milliseconds. */
export interface FirstHit {
  /** From opening the page to the first hit. */
  totalMs: number
  /** From the key that opens the search to the first hit. */
  searchMs: number
  /** CPU time of the main thread of the page over the same time as `totalMs`. */
  cpuMs: number
  /** JavaScript heap of the page at the end, after garbage collection. */
  heapBytes: number
}

/** The answer to a question that was typed into an open dialog. */
export interface Asked {
  /** Time from the last key to the hits, including 60 ms in which the dialog waits for more keys. */
  ms: number
  /** Addresses of the hits, best first. */
  links: string[]
}

export function launchBrowser(): Promise<Browser> {
  const args = [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--disable-gpu',
    '--disable-background-networking',
  ]
  return puppeteer.launch({ executablePath: findBrowser() ?? '', pipe: true, args })
}

export async function measureFirstHit(browser: Browser, address: string, question: string): Promise<FirstHit> {
  const { tab, close } = await openTab(browser)
  try {
    const devtools = await tab.createCDPSession()
    await devtools.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' })
    await devtools.send('Performance.enable')
    const metric = async (name: string) => {
      const { metrics } = await devtools.send('Performance.getMetrics')
      return metrics.find(each => each.name === name)?.value ?? Number.NaN
    }
    const startedAt = performance.now()
    await tab.goto(address, { waitUntil: 'load' })
    const openedAt = performance.now()
    await tab.keyboard.press('/')
    await tab.keyboard.type(question)
    await tab.waitForFunction(hasHits, { timeout: 60_000 })
    const endedAt = performance.now()
    const cpuMs = (await metric('TaskDuration')) * 1000
    await devtools.send('HeapProfiler.collectGarbage')
    const heapBytes = await metric('JSHeapUsedSize')
    return { totalMs: endedAt - startedAt, searchMs: endedAt - openedAt, cpuMs, heapBytes }
  } finally {
    await close()
  }
}

/** Asks all questions in one dialog. */
export async function askAll(browser: Browser, address: string, questions: readonly string[]): Promise<Asked[]> {
  const { tab, close } = await openTab(browser)
  try {
    await tab.goto(address, { waitUntil: 'load' })
    await tab.keyboard.press('/')
    await tab.waitForFunction(isReady, { timeout: 60_000 })
    const answers: Asked[] = []
    for (const question of questions) answers.push(await tab.evaluate(askOnce, question))
    return answers
  } finally {
    await close()
  }
}

async function openTab(browser: Browser): Promise<{ tab: Page; close(): Promise<void> }> {
  const context = await browser.createBrowserContext()
  const tab = await context.newPage()
  await tab.setViewport({ width: 1280, height: 800 })
  return { tab, close: () => context.close() }
}

// The functions below run inside the page. They are sent as text, so each must be self-contained.

function hasHits(): boolean {
  const shadow = document.querySelector('quire-search')?.shadowRoot
  return (
    shadow?.querySelector('.hits')?.getAttribute('aria-busy') === 'false' && !!shadow.querySelector('[role=option]')
  )
}

function isReady(): boolean {
  const shadow = document.querySelector('quire-search')?.shadowRoot
  return shadow?.querySelector('.hits')?.getAttribute('aria-busy') === 'false'
}

function askOnce(question: string): Promise<Asked> {
  const shadow = document.querySelector('quire-search')?.shadowRoot
  const input = shadow?.querySelector('input') as HTMLInputElement
  const list = shadow?.querySelector('.hits') as HTMLElement
  return new Promise(resolve => {
    const startedAt = performance.now()
    const observer = new MutationObserver(() => {
      if (list.getAttribute('aria-busy') !== 'false') return
      observer.disconnect()
      const links = Array.from(list.querySelectorAll<HTMLAnchorElement>('[role=option]'), ({ href }) => href)
      resolve({ ms: performance.now() - startedAt, links })
    })
    input.value = question
    input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }))
    observer.observe(list, { attributes: true, attributeFilter: ['aria-busy'] })
  })
}
