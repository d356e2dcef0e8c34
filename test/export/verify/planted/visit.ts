import puppeteer, { type Browser, type HTTPRequest, type Page } from 'puppeteer'
import type { PlaceName } from '../../../../server/export/model/report.ts'
import { createPlace, type Place } from '../../../../server/export/verify/places.ts'
import { findBrowser } from '../../../../server/web/browser/find-browser.ts'

/** A page of a bundle as a reader finds it. */
export interface Visit {
  text: string
  /** Addresses of other hosts that the browser tried to reach. */
  outside: string[]
  /** Whether the theme button changes the colours of the page. */
  switchesTheme: boolean
  /** Number of hits of the search for a word that the page's search knows. */
  hits: number
}

export interface Visitor {
  visit(folder: string, path: string, name: PlaceName): Promise<Visit>
  close(): Promise<void>
}

/** Starts a browser that opens pages of an unpacked bundle, independently of the check of an export. */
export async function startVisitor(): Promise<Visitor> {
  const browser = await puppeteer.launch({
    executablePath: findBrowser() ?? '',
    headless: /headless-shell/.test(findBrowser() ?? '') ? 'shell' : true,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  })
  return {
    visit: (folder, path, name) => visit(browser, createPlace(name, folder), path),
    close: () => browser.close(),
  }
}

async function visit(browser: Browser, place: Place, path: string): Promise<Visit> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  const outside: string[] = []
  await page.setRequestInterception(true)
  page.on('request', request => void answer(place, request, outside))
  const client = await page.createCDPSession()
  await client.send('Network.enable')
  client.on('Network.webSocketCreated', ({ url }) => outside.push(url))
  try {
    await page.goto(place.address(path), { waitUntil: 'networkidle0' })
    const text = await page.evaluate(() => document.body.innerText)
    const hits = await search(page)
    const before = await page.evaluate(readColours)
    await page.click('.theme-toggle').catch(() => {})
    await page.waitForNetworkIdle({ idleTime: 100 })
    return { text, outside, hits, switchesTheme: (await page.evaluate(readColours)) !== before }
  } finally {
    await context.close()
  }
}

async function search(page: Page): Promise<number> {
  const field = await page.$('input[type=search]:enabled')
  if (!field) return 0
  await field.type('more')
  await page.waitForNetworkIdle({ idleTime: 100 })
  return page.$$eval('.hits li', hits => hits.length)
}

async function answer(place: Place, request: HTTPRequest, outside: string[]): Promise<void> {
  const answered = await place.answer({
    url: request.url(),
    method: request.method(),
    resourceType: request.resourceType(),
    isNavigation: request.isNavigationRequest(),
    origin: null,
  })
  if (answered === null && !/^http:\/\/localhost\//.test(request.url()) && !request.url().startsWith('file:'))
    outside.push(request.url())
  if (answered === 'file') await request.continue()
  else if (answered) await request.respond(answered)
  else await request.abort('blockedbyclient')
}

function readColours(): string {
  const { color, backgroundColor } = getComputedStyle(document.body)
  return `${color} ${backgroundColor}`
}
