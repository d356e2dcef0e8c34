import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stampLine, stampMarkup } from '../../../server/export/rewrite/stamp.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { type Exported, exportFakeSite, page, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import { type OpenBundle, openBrowser, openBundle } from '../search/search-visitor.ts'

test.each([
  [null, '2.1', null],
  ['2026-11-27', null, 'Copy of 2026-11-27'],
  ['2026-11-27', '2.1', 'Copy of 2026-11-27, version 2.1'],
])('the stamp %s with the version %s is the line %s', (stamp, version, line) => {
  expect(stampLine({ stamp, version })).toBe(line)
})

test('no version can leave the style, or needs an encoding', () => {
  expect(stampMarkup('a"}</style>\\é\n')).toContain('content:"a\\22 \\7d \\3c \\2f style\\3e \\5c \\e9 \\a "')
})

describe.skipIf(!findBrowser())('a stamped bundle', () => {
  const line = 'Copy of 2026-11-27, version 2 "é"'
  // Such apps replace all elements of the body.
  const app =
    '<script>document.body.innerHTML = "<main><h1>App</h1><p>These are the words of the app.</p></main>"</script>'
  let folder = ''
  let exported: Exported
  let bundle: OpenBundle
  let browser: Browser
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-stamp-'))
    const latin1 = Buffer.from(page('/old', '<p>\xe9'), 'latin1')
    const site = await startFakeSite({
      '/': page('home', '<a href="/app">a</a><a href="/old">b</a>'),
      '/app': page('app', app),
      '/old': { body: latin1, headers: { 'content-type': 'text/html; charset=iso-8859-1' } },
    })
    const outFile = join(folder, 'docs.zip')
    exported = await exportFakeSite(site.origin, { outFile, version: '2 "é"', stamp: '2026-11-27' })
    await site.close()
    bundle = await openBundle(outFile, join(folder, 'bundle'))
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await bundle.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(['root', 'folder', 'file'] as const)(
    'shows the line below each page in the place %s, for screen readers too',
    async place => {
      const tab = await browser.newPage()
      for (const path of ['index.html', 'app.html', 'old.html']) {
        await tab.goto(bundle.address(place, path))
        const seen = await tab.evaluate(() => {
          const { content, position, display } = getComputedStyle(document.documentElement, '::after')
          const isBelow =
            document.documentElement.getBoundingClientRect().height > document.body.getBoundingClientRect().bottom + 20
          return { content, position, display, isBelow }
        })
        expect(seen).toEqual({ content: JSON.stringify(line), position: 'static', display: 'block', isBelow: true })
        const client = await tab.createCDPSession()
        const { nodes } = await client.send('Accessibility.getFullAXTree')
        expect(nodes.map(({ name }) => name?.value)).toContain(line)
      }
      await tab.close()
    },
  )

  test('names the date in the report', () => {
    expect(JSON.parse(readEntry(exported.entries, 'export-report.json'))).toMatchObject({ stamp: '2026-11-27' })
  })
})
