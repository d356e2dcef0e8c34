import { pathToFileURL } from 'node:url'
import puppeteer, { type Browser, type KeyInput, type Page } from 'puppeteer'
import type { PlaceName } from '../../../server/export/model/report.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { unpackArchive } from '../read-archive.ts'
import { type RunningServer, serveFolder, startServer } from '../static-server.ts'

/** A bundle in three places: at the root of a host, in a folder of a host, and on disk. */
export interface OpenBundle {
  address(place: PlaceName, path: string): string
  /** Whether the URL is in the bundle, in any of the places. */
  holds(url: string): boolean
  close(): Promise<void>
}

export async function openBundle(archive: string, folder: string): Promise<OpenBundle> {
  unpackArchive(archive, folder)
  const servers: Partial<Record<PlaceName, RunningServer>> = {
    root: await startServer(serveFolder(folder)),
    folder: await startServer(serveFolder(folder, '/any/sub/folder/')),
  }
  return {
    address(place, path) {
      if (place === 'file') return new URL(path, `${pathToFileURL(folder).href}/`).href
      return new URL((place === 'folder' ? 'any/sub/folder/' : '') + path, servers[place]?.origin).href
    },
    holds: url =>
      [...Object.values(servers), { origin: { href: pathToFileURL(folder).href } }].some(({ origin }) =>
        url.startsWith(origin.href),
      ),
    async close() {
      for (const server of Object.values(servers)) await server.close()
    },
  }
}

/** Opens a browser that cannot resolve host names. */
export function openBrowser(): Promise<Browser> {
  const args = [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-gpu',
    '--disable-background-networking',
  ]
  return puppeteer.launch({ executablePath: findBrowser() ?? '', pipe: true, args })
}

/** A tab and its faults: requests that left the bundle or failed, errors and violations of the policy. */
export interface Visitor {
  tab: Page
  faults: string[]
  /** Files of the search that were loaded. */
  loaded: string[]
  go(address: string): Promise<void>
  press(...keys: KeyInput[]): Promise<void>
  /** Returns the visible state of the search. */
  state(): Promise<{ isOpen: boolean; hasButton: boolean; question: string; hits: string[]; chosen: number }>
  /** Types a question, waits for the hits and returns their headings. */
  ask(question: string): Promise<string[]>
}

export async function openVisitor(browser: Browser, bundle: OpenBundle): Promise<Visitor> {
  const context = await browser.createBrowserContext()
  const tab = await context.newPage()
  await tab.setViewport({ width: 1280, height: 800 })
  const faults: string[] = []
  const loaded: string[] = []
  tab.on('request', request => {
    const url = request.url()
    if (/\/_quire\/search/.test(url)) loaded.push(url.replace(/.*\/_quire\//, '').replace(/\?.*/, ''))
    if (!url.startsWith('data:') && !bundle.holds(url)) faults.push(`outbound: ${url}`)
  })
  tab.on('requestfailed', request => faults.push(`failed: ${request.url()} ${request.failure()?.errorText}`))
  tab.on('response', response => {
    if (response.status() >= 400) faults.push(`status ${response.status()}: ${response.url()}`)
  })
  tab.on('pageerror', error => faults.push(String(error)))
  tab.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warn') faults.push(message.text())
  })

  async function state() {
    return tab.evaluate(() => {
      const shadow = document.querySelector('quire-search')?.shadowRoot
      const options = Array.from(shadow?.querySelectorAll('[role=option]') ?? [])
      return {
        isOpen: shadow?.querySelector('dialog')?.open ?? false,
        hasButton: shadow?.querySelector<HTMLElement>('.opener')?.hidden === false,
        question: shadow?.querySelector('input')?.value ?? '',
        hits: options.map(option => option.querySelector('.head')?.textContent ?? ''),
        chosen: options.findIndex(option => option.getAttribute('aria-selected') === 'true'),
      }
    })
  }

  return {
    tab,
    faults,
    loaded,
    state,
    go: async address => void (await tab.goto(address, { waitUntil: 'load' })),
    async press(...keys) {
      for (const key of keys) await tab.keyboard.press(key)
    },
    async ask(question) {
      await tab.keyboard.type(question)
      await tab.waitForFunction(
        () => {
          const shadow = document.querySelector('quire-search')?.shadowRoot
          return shadow?.querySelector('.hits')?.getAttribute('aria-busy') === 'false'
        },
        { timeout: 20_000, polling: 20 },
      )
      return (await state()).hits
    },
  }
}
