import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listPages } from '../../server/docs/sitemap.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { files } from '../docs/shipped-documentation.ts'
import { exportFakeSite, nextFiles } from '../export/fake-site.ts'
import { type OpenBundle, openBrowser, openBundle, openVisitor } from '../export/search/search-visitor.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-docs-export-'))
let server: TestServer
let bundle: OpenBundle
let browser: Browser | undefined
let report: Awaited<ReturnType<typeof exportFakeSite>>['report']

beforeAll(async () => {
  server = await startTestServer()
  const { outFile } = nextFiles()
  const exported = await exportFakeSite(new URL(`${server.url}/docs/`), { verify: 'static', outFile })
  report = exported.report
  bundle = await openBundle(outFile, scratch)
  if (findBrowser()) browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await bundle?.close()
  await server?.dispose()
  rmSync(scratch, { recursive: true, force: true })
})

test('the whole documentation is exported without dead links', () => {
  expect(report).toMatchObject({ pages: listPages(files).length, unresolved: [], removedFeatures: [] })
})

test.for(['root', 'folder', 'file'] as const)('its search works in a bundle: %s', async (place, context) => {
  if (!browser) return context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  const { tab, faults, go } = await openVisitor(browser, bundle)
  await go(bundle.address(place, 'docs/operate.html'))
  await tab.click('[data-search]')
  await tab.keyboard.type('delaycompress')
  // It also shows what it finds for the first letters.
  await expect.poll(() => tab.$$eval('quire-search >>> [role=option]', all => all.length)).toBe(1)
  await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')])
  expect(tab.url()).toBe(bundle.address(place, 'docs/visitors.html#follow-a-log'))
  expect(faults).toEqual([])
  await tab.browserContext().close()
})

test('offline, a theme can be chosen and stays, and no link leads to the dashboard of the server', async context => {
  if (!browser) return context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  const { tab, faults, go } = await openVisitor(browser, bundle)
  await go(bundle.address('file', 'docs/operate.html'))
  await tab.click('header .theme [value=dark]')
  await go(bundle.address('file', 'docs/index.html'))
  expect(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(20, 23, 26)')
  expect(await tab.$$eval('a[href*="dashboard/"]', all => all.length)).toBe(0)
  expect(faults).toEqual([])
  await tab.browserContext().close()
})
