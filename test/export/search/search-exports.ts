import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeOptions, type FakeSite, nextFiles, page, startFakeSite } from '../fake-site.ts'
import type { RunningServer } from '../static-server.ts'
import { type OpenBundle, openBrowser, openBundle, openVisitor } from './search-visitor.ts'

let scratch = ''
/** Closed after each test. */
export const closing: { close(): Promise<void> }[] = []

let browser: Browser | undefined

/** Closes everything in `closing` after each test, and the browser after all tests. */
export function setUpSearchExports(): void {
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'quire-search-'))
  })

  afterEach(async () => {
    for (const each of closing.splice(0)) await each.close()
  })

  afterAll(async () => {
    await browser?.close()
    browser = undefined
    rmSync(scratch, { recursive: true, force: true })
  })
}

export async function runExport(server: RunningServer, options: FakeOptions = {}) {
  const { outFile } = nextFiles()
  const exported = await exportFakeSite(server.origin, { offlineSearch: true, verify: 'static', ...options, outFile })
  return { ...exported, outFile }
}

export async function run(site: FakeSite, options: FakeOptions = {}) {
  const server = await startFakeSite(site)
  closing.push(server)
  return { ...(await runExport(server, options)), server }
}

export async function open(archive: string): Promise<OpenBundle> {
  const bundle = await openBundle(archive, mkdtempSync(join(scratch, 'bundle-')))
  closing.push(bundle)
  return bundle
}

/** Opens a tab for a bundle. */
export const visit = async (bundle: OpenBundle) => {
  if (!browser) throw new Error('no browser')
  const visitor = await openVisitor(browser, bundle)
  closing.push({ close: () => visitor.tab.browserContext().close() })
  return visitor
}

/** Skips the tests of a suite if no Chromium is installed. */
export function needBrowser(): void {
  beforeEach(async context => {
    if (!findBrowser()) return context.skip(`needs a Chromium; install one with: ${installCommand()}`)
    browser ??= await openBrowser()
  })
}

export const words = (name: string) => Array.from({ length: 70 }, (_, index) => `${name}${index}`).join(' ')

const guide = `<!doctype html><html><head><title>guide</title></head><body><h1>Guide</h1><p>${words('guide')}</p><h2 id="set-up">Set up</h2><p>Turn the zebra key.</p><a href="/">home</a></body></html>`

export const plainSite: FakeSite = {
  '/': page('home', '<a href="/deep/guide">guide</a>'),
  '/deep/guide': guide,
}
