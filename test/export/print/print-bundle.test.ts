import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PrintedFile, printBundle } from '../../../server/export/print/print-bundle.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { openBundleViewer } from '../../../server/web/browser/viewer.ts'
import { exportFakeSite, nextFiles, startFakeSite } from '../fake-site.ts'

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const menu = '<nav><a href="/">Home</a><a href="/guide/">Guide</a><a href="/about">About</a></nav>'
const write = (title: string, content: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title><link rel="stylesheet" href="/dark.css"></head><body>${menu}<main>${content}</main><footer>Foot of all pages</footer><script src="/app.js"></script></body></html>`
const table = '<table><tr><th>Name<th>Value<tr><td>one<td>two</table>'
const site = {
  '/': write(
    'Home',
    '<h1>Home</h1><p>Words (of 1 0 R) the start. <a href="/guide/#steps">To the steps</a> <a href="/about">About</a></p>',
  ),
  '/guide/': write(
    'Guide',
    `<h1>Guide</h1><h2 id="steps">Steps</h2>${table}<p><a href="deep">Deep</a><img src="/a.png" alt="A dot"></p>`,
  ),
  '/guide/deep': write(
    'Deep',
    '<h1>Deep</h1><pre><code>const a = "é"</code></pre><p><a href="https://example.org/x">Out</a></p>',
  ),
  '/about': write('About', `<h1>About</h1>${table}<button>Press</button><p>Last words <a href="#">up</a></p>`),
  '/dark.css': 'body { background: #000; color: #fff }',
  '/app.js': 'document.title = "script ran"',
  '/a.png': picture,
}

let folder = ''
let bundle = ''
let sha256 = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-print-'))
  const server = await startFakeSite(site)
  bundle = nextFiles().outFile
  const options = { outFile: bundle, verify: 'static', version: '2.1', stamp: '2026-11-27' } as const
  ;({ sha256 } = await exportFakeSite(server.origin, options))
  await server.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function print(files: { pdf?: string; singleHtml?: string }, of = bundle): Promise<PrintedFile[]> {
  const workFolder = mkdtempSync(join(folder, 'work-'))
  return printBundle({
    ...{ bundle: of, sha256: null, pdf: null, singleHtml: null, workFolder, allowNoSandbox: true, ...files },
    onPage() {},
    signal: new AbortController().signal,
  })
}

describe.skipIf(!findBrowser())('the PDF', () => {
  let pdf = ''
  let printed: PrintedFile[] = []
  beforeAll(async () => {
    const file = join(folder, 'docs.pdf')
    printed = await print({ pdf: file })
    pdf = readFileSync(file, 'latin1')
  })
  const bodyOf = (number: string) => pdf.match(new RegExp(`^${number} 0 obj\\n([^]*?)\\nendobj`, 'm'))?.[1] ?? ''
  const catalog = () => bodyOf('1')

  test('has a cover, contents, and the pages of the site, in one tree of pages', () => {
    expect(printed).toMatchObject([{ sitePages: 4, pdfPages: 6 }])
    expect(pdf.match(/\/Type \/Page\n/g)).toHaveLength(6)
    expect(bodyOf('2')).toContain('/Count 6')
    expect(catalog()).toContain('/PageLabels <</Nums [0 <</S /r>> 2 <</S /D>>]>>')
  })

  test('has its objects where its table says', () => {
    const table = pdf.slice(Number(/startxref\n(\d+)/.exec(pdf)?.[1]))
    const offsets = [...table.matchAll(/^(\d{10}) 00000 n/gm)].map(([, offset]) => Number(offset))
    expect(offsets.length).toBeGreaterThan(50)
    for (const offset of offsets) expect(pdf.slice(offset, offset + 20)).toMatch(/^\d+ 0 obj\n/)
    expect([...pdf.matchAll(/(?<!\()\b(\d+) 0 R/g)].filter(([, number]) => bodyOf(number ?? '') === '')).toEqual([])
  })

  test('is tagged, and each part is below one document', () => {
    expect(catalog()).toContain('/MarkInfo <</Marked true>>')
    expect(catalog()).toContain('/Lang (en)')
    expect(bodyOf('4')).toMatch(/\/S \/Document\n\/P 3 0 R\n\/K \[\d+ 0 R \d+ 0 R\]/)
    expect(pdf.match(/\/S \/Part\n\/Lang \(en\)\n\/P 4 0 R/g)).toHaveLength(2)
    expect(pdf).toContain('/Alt (A dot)')
    expect(new Set(pdf.match(/\/ID \(node\d+\)/g)).size).toBe(4)
  })

  test('has a bookmark for each page, by the order of the navigation, with its headings below', () => {
    const titles: string[] = []
    const follow = (reference: string | undefined) => {
      for (let next = reference; next !== undefined; ) {
        const item = bodyOf(next)
        titles.push(/\/Title \(([^)]*)\)/.exec(item)?.[1] ?? '')
        follow(/\/First (\d+)/.exec(item)?.[1])
        next = /\/Next (\d+)/.exec(item)?.[1]
      }
    }
    follow(/\/First (\d+)/.exec(bodyOf('7'))?.[1])
    expect(titles).toEqual(['Home', 'Guide', 'Steps', 'About', 'Deep'])
    expect(bodyOf('7')).toContain('/Count 4')
  })

  test('leads its links to places in the file, and others to the web', () => {
    const places = new Set([...bodyOf('8').matchAll(/\/([\w-]+) \[/g)].map(([, name]) => name))
    const links = [...pdf.matchAll(/\/Dest \/([\w-]+)/g)].map(([, name]) => name)
    expect([...new Set(links)].sort()).toEqual(['p1', 'p2', 'p2-0', 'p3', 'p4'])
    expect(links.filter(name => !places.has(name))).toEqual([])
    expect(pdf.match(/\/URI \([^)]*\)/g)).toEqual(['/URI (https://example.org/x)'])
  })
})

describe('the HTML file', () => {
  const file = () => join(folder, 'docs.html')
  beforeAll(() => print({ singleHtml: file() }))

  test('has the content of all pages, and nothing around it', () => {
    const html = readFileSync(file(), 'utf8')
    expect(html).toContain('<dt>Date</dt><dd>2026-11-27</dd>')
    expect(html).toContain(`<dd>${sha256}</dd>`)
    expect(html).toContain('<a href="#p2-0">To the steps</a>')
    expect(html).toContain('<h2 id="p2-0">Steps</h2>')
    expect(html).toContain('src="data:image/png;base64,iVBOR')
    expect(html).toContain('const a = "é"')
    expect(html).not.toMatch(/<script|Foot of all pages|<button|dark\.css/)
  })

  test.skipIf(!findBrowser())('asks for nothing in a browser', async () => {
    const viewer = await openBundleViewer({
      ...{ executablePath: findBrowser() ?? '', profileFolder: join(folder, 'viewer'), allowNoSandbox: true },
      ...{ pageTimeoutMs: 30_000, pageRequests: 100, signal: new AbortController().signal },
    })
    const asked: string[] = []
    const address = pathToFileURL(file()).href
    const look = await viewer.look(address, async ({ url }) => {
      if (!url.startsWith('data:')) asked.push(url)
      return url === address || url.startsWith('data:') ? 'file' : null
    })
    await viewer.close()
    expect(asked).toEqual([address])
    expect(look).toMatchObject({ failed: [], errors: [] })
    expect(look?.words).toEqual(expect.arrayContaining(['Contents', 'Deep', 'About', 'Steps']))
  })
})

test('a file that is no bundle is refused, and no file is left', async () => {
  const other = mkdtempSync(join(folder, 'other-'))
  writeFileSync(join(other, 'index.html'), '<p>page')
  await expect(print({ singleHtml: join(folder, 'none.html') }, other)).rejects.toThrow(/no export-report\.json/)
})
