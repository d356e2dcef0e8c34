import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import type { PlaceName } from '../../../server/export/model/report.ts'
import { createPlace } from '../../../server/export/verify/places.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { type BundleViewer, openBundleViewer } from '../../../server/web/browser/viewer.ts'
import { type Exported, exportFakeSite, type FakeOptions, type FakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-cdn-'))
const servers: RunningServer[] = []
let viewer: BundleViewer | null = null

afterAll(async () => {
  await viewer?.close()
  rmSync(scratch, { recursive: true, force: true })
})

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function start(site: FakeSite): Promise<URL> {
  const server = await startFakeSite(site)
  servers.push(server)
  return server.origin
}

/** The files of another host, which refer to each other. */
const files: Record<string, string | Buffer> = {
  '/css/all.css': '@import "more/fonts.css"; h1 { color: rgb(1, 2, 3) }',
  '/css/more/fonts.css':
    '@font-face { font-family: Packed; src: url(../f.woff2) } h1 { background: url(/img/bg.png) no-repeat }',
  '/css/f.woff2': Buffer.from('wOF2 no font at all'),
  '/img/bg.png': Buffer.from('bg'),
  '/img/1.png': Buffer.from('1'),
  '/img/2.png': Buffer.from('2'),
  '/js/classic.js':
    'document.currentScript && (window.classicBase = new URL("parts/late.js", document.currentScript.src).href);document.addEventListener("DOMContentLoaded",()=>{const s=document.createElement("script");s.src=window.classicBase;document.body.append(s)})',
  '/js/parts/late.js': 'say("classic part")',
  '/js/injected.js': 'say("injected")',
  '/js/computed-7.js': 'say("computed")',
  '/data/list.json': '{"word":"fetched"}',
  '/mod/main.js':
    'import { a } from "./dep.js"; import b from "/mod/root.js"; import("./lazy.js").then(m => m.default()); say(a + " " + b); const w = new URL("asset.svg", import.meta.url); say(w.pathname.endsWith("asset.svg") ? "beside" : "lost")',
  '/mod/dep.js': 'export const a = "relative import"',
  '/mod/root.js': 'export { default } from "../mod2/deep.js"',
  '/mod2/deep.js': 'export default "root import"',
  '/mod/lazy.js': 'export default () => say("lazy import")',
  '/mod/asset.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  '/lib@1/index.js': 'export const lib = "mapped module"',
  '/lib@1/extra/more.js':
    'import { deepest } from "lib/extra/deepest.js"; export const more = "mapped folder " + deepest',
  '/lib@1/extra/deepest.js': 'export const deepest = "twice"',
}

const words = Array.from({ length: 70 }, (_, index) => `word${index}`).join(' ')
const said = [
  ...['classic part', 'injected', 'computed', 'fetched', 'relative import root import', 'beside', 'lazy import'],
  ...['mapped module', 'mapped folder twice', 'own import'],
]

function siteOf(cdn: string): FakeSite {
  const say = '<script>function say(text){document.getElementById("said").append(text+"; ")}</script>'
  const markup = `<!doctype html><html><head><title>CDN</title>
<link rel="stylesheet" href="${cdn}css/all.css" integrity="sha384-wrong" crossorigin="anonymous">
<script type="importmap">{"imports":{"lib":"${cdn}lib@1/index.js","lib/":"${cdn}lib@1/"},"integrity":{"${cdn}lib@1/index.js":"sha384-x"}}</script>
</head><body><main><h1>Third parties</h1><p>${words}</p><p id="said"></p>
<img src="${cdn}img/1.png" srcset="${cdn}img/1.png 1x, ${cdn}img/2.png 2x">${say}
<script src="${cdn}js/classic.js"></script>
<script type="module" src="${cdn}mod/main.js"></script>
<script type="module">import { lib } from "lib"; import { more } from "lib/extra/more.js"; say(lib); say(more)</script>
<script src="/app.js"></script><script type="module" src="/own.js"></script>
</main></body></html>`
  return {
    '/': markup,
    '/deep/er/': markup,
    '/deep/': '<h1>deep</h1><a href="er/">x</a>',
    '/sitemap.xml': '<urlset><url><loc>https://docs.example.com/deep/er/</loc></url></urlset>',
    '/own.js': `import { a } from "${cdn}mod/dep.js"; say("own import")`,
    '/app.js': `
      const s = document.createElement('script'); s.src = '${cdn}js/injected.js'; s.integrity = 'sha384-wrong'; s.crossOrigin = 'anonymous'
      document.head.append(s)
      const t = document.createElement('script'); t.setAttribute('src', '${cdn}js/' + 'computed-' + (3 + 4) + '.js'); document.head.append(t)
      fetch('${cdn}data/' + 'list.json').then(r => r.json()).then(it => say(it.word))
      new Image().src = '${cdn}img/2.png'`,
  }
}

function headersOf(path: string): Record<string, string> {
  const type = path.endsWith('.svg') ? { 'content-type': 'image/svg+xml' } : {}
  return { 'access-control-allow-origin': '*', ...type }
}

/** Opens a page of the bundle in a place. Returns the texts of its scripts, failed and outside requests, and errors. */
async function look({ entries }: Exported, path: string, name: PlaceName) {
  const folder = mkdtempSync(join(scratch, 'bundle-'))
  for (const entry of entries) {
    mkdirSync(dirname(join(folder, entry.name)), { recursive: true })
    writeFileSync(join(folder, entry.name), entry.content)
  }
  viewer ??= await openBundleViewer({
    executablePath: findBrowser() ?? '',
    allowNoSandbox: true,
    profileFolder: join(scratch, 'profile'),
    pageTimeoutMs: 20_000,
    pageRequests: 1000,
    signal: new AbortController().signal,
  })
  const place = createPlace(name, folder)
  const outside: string[] = []
  const shown = await viewer.look(place.address(path), request => {
    if (!request.url.startsWith(place.root)) outside.push(request.url)
    return place.answer(request)
  })
  const text = shown?.words.join(' ') ?? ''
  return { said: said.filter(each => text.includes(each)), failed: shown?.failed, errors: shown?.errors, outside }
}

async function run(options: FakeOptions = {}): Promise<{ exported: Exported; cdn: URL }> {
  const cdn = await start({
    ...Object.fromEntries(Object.entries(files).map(([path, body]) => [path, { headers: headersOf(path), body }])),
    // Such hosts redirect the name of a package to its current version.
    '/lib/index.js': { status: 302, headers: { location: '/lib@1/index.js' } },
  })
  const origin = await start(siteOf(cdn.href))
  return { exported: await exportFakeSite(origin, { alsoAllowed: [cdn], ...options }), cdn }
}

test('files that pages and scripts load from other hosts are packed and found', { timeout: 120_000 }, async () => {
  // The words that its modules add are lost where modules cannot run.
  const { exported, cdn } = await run({ allowLoss: true })
  const { report, entries } = exported
  expect(report.notes).toEqual([
    expect.stringMatching(/^Lost text: .+ loses 15% of its words when it is opened from file/),
  ])
  expect(report.removedThirdParty).toEqual([])
  expect(report.missingFiles).toEqual([])
  const host = cdn.host.replace(':', '_')
  expect(report.packedThirdParty.map(url => url.slice(cdn.href.length - 1)).sort()).toEqual(Object.keys(files).sort())
  expect(readEntry(entries, `_external/${host}/mod/main.js`)).toContain('import b from "./root.js"')
  expect(readEntry(entries, 'deep/er/index.html')).toContain(`"lib":"../../_external/${host}/lib@1/index.js"`)
  for (const path of ['index.html', 'deep/er/index.html'])
    expect(await look(exported, path, 'root')).toEqual({ said, failed: [], errors: [], outside: [] })
  for (const place of ['folder', 'file'] as const)
    expect(await look(exported, 'deep/er/index.html', place)).toMatchObject({ failed: [], errors: [], outside: [] })
  expect(report.scripts.mode).toBe('hosted')
})

test('scripts of other hosts run everywhere if none of them is a module', { timeout: 120_000 }, async () => {
  const cdn = await start(files)
  const origin = await start({
    '/a/':
      `<h1>a</h1><p>${words}</p><p id="said"></p><script>function say(text){document.getElementById("said").append(text+"; ")}</script><script src="${cdn.href}js/classic.js"></script><script src="/a/app.js"></script>`.replace(
        '"/a/app.js"',
        '"app.js"',
      ),
    '/': '<h1>home</h1><a href="/a/">a</a>',
    '/a/app.js': `const s = document.createElement('script'); s.src = '${cdn.href}js/injected.js'; document.head.append(s)`,
  })
  const exported = await exportFakeSite(origin, { alsoAllowed: [cdn] })
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere' })
  for (const place of ['root', 'folder', 'file'] as const)
    expect(await look(exported, 'a/index.html', place)).toEqual({
      said: ['classic part', 'injected'],
      failed: [],
      errors: [],
      outside: [],
    })
})

test('files that scripts name are packed even without a check in the browser', async () => {
  const { exported } = await run({ verify: 'static' })
  const names = exported.names.join('\n')
  for (const path of ['js/injected.js', 'js/classic.js', 'mod/lazy.js', 'mod2/deep.js', 'lib@1/extra/deepest.js'])
    expect(names).toContain(`/${path}`)
})
