import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeOutcome } from '../../../server/export/bundle/describe-outcome.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { type Exported, exportFakeSite, nextFiles, startFakeSite } from '../fake-site.ts'
import { readEntry, unpackArchive } from '../read-archive.ts'
import { type RunningServer, serveFolder, startServer } from '../static-server.ts'
import { clickEverything, readTrees } from './frozen-page.ts'
import { referenceSite } from './reference-site.ts'

const executablePath = findBrowser()

/** Texts that a page must show and must not show. */
const texts = [
  [
    'swagger.html',
    [
      'Shop API',
      'Lists the pets',
      'Lists the owners',
      '"owners-1"',
      'field3 is a string',
      'Panel of pets-200',
      'Panel of pets-400',
      'Inside owners-500',
      'Write to the shop.',
    ],
    ['Try it out', 'Execute', 'Authorize', 'Explore'],
  ],
  ['rapidoc.html', ['Shop API', 'Lists the pets', 'Sample of owners'], ['TRY']],
] as const

describe.skipIf(!executablePath)(`references are frozen (needs a Chromium: ${installCommand()})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-references-'))
  let bundle: Exported
  let requests: string[] = []
  let browser: Browser
  let root: RunningServer
  let inFolder: RunningServer

  beforeAll(async () => {
    const site = await startFakeSite(referenceSite)
    const files = nextFiles()
    bundle = await exportFakeSite(site.origin, { ...files, verify: 'static' })
    requests = site.requests
    await site.close()
    unpackArchive(files.outFile, folder)
    root = await startServer(serveFolder(folder))
    inFolder = await startServer(serveFolder(folder, '/any/folder/'))
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    browser = await puppeteer.launch({ executablePath: executablePath ?? '', pipe: true, args })
  })
  afterAll(async () => {
    await browser?.close()
    await root?.close()
    await inFolder?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const addressOf = (place: string, path: string) =>
    place === 'file'
      ? `file://${join(folder, path)}`
      : place === 'root'
        ? new URL(path, root.origin).href
        : new URL(`any/folder/${path}`, inFolder.origin).href

  test('the report names the references and the removed parts', () => {
    expect(bundle.report.frozenReferences).toEqual([
      { page: '/rapidoc', product: 'RapiDoc', removed: ['Try it out'] },
      { page: '/swagger', product: 'Swagger UI', removed: ['Authorize', 'Try it out', 'address of the document'] },
    ])
    expect(describeOutcome(bundle.report)).toContain(
      '2 API references are kept as text, without what sends requests and with tabs that do nothing: /rapidoc (RapiDoc; removed: Try it out), /swagger (Swagger UI; removed: Authorize, Try it out, address of the document).',
    )
    expect(readEntry(bundle.entries, 'export-report.html')).toContain('Authorize, Try it out, address of the document')
  })

  test('opening the parts sends no request of a console, and follows no link', () => {
    expect(requests.filter(path => /sent=|\/filter|\/other/.test(path))).toEqual([])
    expect(bundle.report.notes.join()).not.toContain('collapsed')
  })

  test('a reference that the browser cannot show is removed, and the other scripts of its page stay', () => {
    const html = readEntry(bundle.entries, 'failed.html')
    expect(html).not.toContain('swagger-ui')
    expect(html).toContain('src="own.js"')
    expect(bundle.report.removedFeatures).toEqual([{ product: 'Swagger UI', feature: 'playground', pages: 1 }])
    const note = 'The API reference /failed is missing in the bundle: none appeared in the browser.'
    expect(bundle.report.notes).toContain(note)
  })

  test('the document stays in the bundle, because the page links to it', () => {
    expect(bundle.names).toContain('openapi.json')
    expect(readEntry(bundle.entries, 'swagger.html')).toContain('<a href="openapi.json">')
    expect(bundle.names.filter(name => /swagger-ui-bundle|rapidoc\.js/.test(name))).toEqual([])
  })

  test.each(['root', 'folder', 'file'])('the whole text is readable and nothing is sent: %s', async place => {
    const tab = await browser.newPage()
    for (const [path, kept, gone] of texts) {
      await tab.goto(addressOf(place, path), { waitUntil: 'load' })
      const text = await tab.evaluate(readTrees)
      for (const part of kept) expect(text).toContain(part)
      for (const part of gone) expect(text).not.toContain(part)
      const sent: string[] = []
      tab.on('request', request => sent.push(request.url()))
      expect(await tab.evaluate(clickEverything)).toBeGreaterThan(0)
      await new Promise(resolve => setTimeout(resolve, 200))
      expect(sent).toEqual([])
      tab.removeAllListeners('request')
    }
    await tab.close()
  })

  test('shadow trees keep their style sheets, with shorthands of variables', async () => {
    const tab = await browser.newPage()
    await tab.goto(addressOf('file', 'rapidoc.html'), { waitUntil: 'load' })
    const styles = await tab.evaluate(() => {
      const outer = document.querySelector('rapi-doc')?.shadowRoot
      const inner = outer?.querySelector('api-operation')?.shadowRoot?.querySelector('.operation')
      const title = outer?.querySelector('h2')
      if (!inner || !title) return null
      const { borderTopWidth, borderLeftWidth, borderTopStyle } = getComputedStyle(inner)
      return [borderTopWidth, borderLeftWidth, borderTopStyle, getComputedStyle(title).color]
    })
    expect(styles).toEqual(['3px', '7px', 'solid', 'rgb(1, 2, 3)'])
    await tab.close()
  })
})

test.skipIf(!executablePath)(
  'where the feature is on, the console stays and the report names no frozen page',
  async () => {
    const site = await startFakeSite(referenceSite)
    const features = { search: false, assistant: false, analytics: false, playground: true }
    const { entries, report } = await exportFakeSite(site.origin, { features, verify: 'static' })
    await site.close()
    expect(report.frozenReferences).toEqual([])
    expect(report.keptFeatures.map(({ product }) => product)).toEqual(['RapiDoc', 'Swagger UI'])
    expect(readEntry(entries, 'failed.html')).toContain('swagger-ui')
  },
)

test.skipIf(!executablePath)(
  'a reference that does not appear in time ends the export, unless a loss is allowed',
  async () => {
    const site = await startFakeSite({
      '/': `<!doctype html><title>Reference</title><div id="swagger-ui"></div><script src="/swagger-ui-bundle.js"></script>`,
      '/swagger-ui-bundle.js': { body: 'for (;;);', headers: { 'content-type': 'text/javascript' } },
    })
    const limits = { pageTimeoutMs: 500 }
    await expect(exportFakeSite(site.origin, { limits })).rejects.toThrow(
      'The browser did not show the API reference / in time; give it more (--page-timeout-seconds)',
    )
    const { report } = await exportFakeSite(site.origin, { limits, allowLoss: true })
    await site.close()
    expect(report.notes).toContain('The API reference / is missing in the bundle: none appeared in the browser.')
  },
)
