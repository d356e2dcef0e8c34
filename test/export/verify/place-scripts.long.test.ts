import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PlaceName } from '../../../server/export/model/report.ts'
import { createPlace } from '../../../server/export/verify/places.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { type BundleViewer, openBundleViewer } from '../../../server/web/browser/viewer.ts'
import { type Exported, exportFakeSite, type FakeSite, startFakeSite } from '../fake-site.ts'
import { exportChecked } from '../own-check.ts'
import { readEntry } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-places-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const servers: RunningServer[] = []
let viewer: BundleViewer | null = null

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterEach(async () => {
  await viewer?.close()
  viewer = null
  for (const server of servers.splice(0)) await server.close()
})

async function run(site: FakeSite): Promise<Exported> {
  const server = await startFakeSite(site)
  servers.push(server)
  return exportChecked(server.origin)
}

async function show({ entries }: Exported, path: string, name: PlaceName) {
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
  return viewer.look(place.address(path), place.answer)
}

/** Opens a page of the unpacked bundle in a place. Returns its text, failed requests and errors. */
async function look(exported: Exported, path: string, name: PlaceName) {
  const shown = await show(exported, path, name)
  return { text: shown?.words.join(' '), failed: shown?.failed, errors: shown?.errors }
}

const words = (name: string) => Array.from({ length: 70 }, (_, index) => `${name}${index}`).join(' ')
/** A page that an app hydrates. The app knows only its paths, and shows an error at other addresses. */
const hydrated = (name: string) =>
  `<!doctype html><html><head><title>${name}</title><link rel="modulepreload" href="/app.js"><script type="module" src="/app.js"></script></head><body><main id="root"><h1>${name}</h1><p>${words(name)}</p><a href="/">home</a> <a href="/guide">guide</a></main><script>window.order = [document.currentScript !== null]</script></body></html>`
const app = `
  const pages = { '': 'home', '/guide': 'guide' }
  const name = pages[location.pathname.replace(/(\\/index\\.html|\\/)$/, '')]
  const root = document.getElementById('root')
  if (!name || !window.order[0]) root.innerHTML = '<h1>This page was not found by the app</h1>'
  else root.querySelector('h1').textContent = name + ' live'`
const hydratedSite: FakeSite = { '/': hydrated('home'), '/guide': hydrated('guide'), '/app.js': app }

test('an app that works only at the root of a host runs there, and its pages are static elsewhere', {}, async () => {
  const exported = await run(hydratedSite)
  expect(exported.report.scripts).toMatchObject({
    mode: 'guarded',
    decidedBy: 'browser',
    checkedPages: ['index.html', 'guide.html'],
    heldOutPages: [],
    originFaults: [],
  })
  const lost = exported.report.differences.map(({ page, place, loss }) => [page, place, loss?.words])
  expect(lost).toEqual(['folder', 'file'].flatMap(place => ['guide.html', 'index.html'].map(page => [page, place, 1])))
  expect(exported.names).toContain('_quire/runtime.js')
  for (const path of ['index.html', 'guide.html']) {
    const name = path === 'index.html' ? 'home' : 'guide'
    const text = (title: string) => `${title} ${words(name)} home guide`
    expect(await look(exported, path, 'root')).toEqual({ text: text(`${name} live`), failed: [], errors: [] })
    for (const place of ['folder', 'file'] as const)
      expect(await look(exported, path, place)).toEqual({ text: text(name), failed: [], errors: [] })
  }
  const again = await exportFakeSite(servers[0]?.origin ?? new URL('http://none.invalid'))
  expect(again.sha256).toBe(exported.sha256)
})

test('scripts that fail only from file:// run on a host, also in folders', {}, async () => {
  const markup = (up: string) =>
    `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><input type="search" placeholder="Find"><p>${words('plain')}</p><script>const up = "${up}"</script><script type="module" src="${up}app.js"></script></body></html>`
  // Browsers refuse modules on file://.
  const site: FakeSite = {
    '/': `${markup('')}<a href="guide/">guide</a>`,
    '/guide/': markup('../'),
    '/app.js': 'fetch(up + "data.json").then(it => it.json()).then(it => document.body.append(" " + it.word))',
    '/data.json': '{"word":"asked"}',
  }
  const exported = await run(site)
  expect(exported.report.scripts).toMatchObject({ mode: 'hosted', decidedBy: 'browser' })
  expect(exported.report.scripts.reason).toMatch(/^index\.html on file:\/\/: /)
  const lost = exported.report.differences.map(({ page, place, loss }) => [page, place, loss?.words])
  expect(lost).toEqual(['guide/index.html', 'index.html'].map(page => [page, 'file', 1]))
  for (const place of ['root', 'folder'] as const)
    expect(await look(exported, 'guide/index.html', place)).toMatchObject({
      text: `x ${words('plain')} asked`,
      failed: [],
      errors: [],
    })
  expect(await look(exported, 'guide/index.html', 'file')).toMatchObject({ text: `x ${words('plain')}`, failed: [] })
  expect(readEntry(exported.entries, 'export-report.html')).toContain('at its root or in a folder')
})

describe('an app that inserts the markup of another page', () => {
  const markup = (name: string) =>
    `<!doctype html><html><head><title>${name}</title><script src="/app.js"></script></head><body><main><h1>${name}</h1><p>${words(name)}</p><a href="/guide">guide</a><script>noteVisit('${name}')</script></main></body></html>`
  const start = `
    window.starts = (window.starts || 0) + 1
    window.noteVisit = name => document.title = (document.title + ' ' + name + window.starts)
    if (document.title === 'home' && window.starts === 1) addEventListener('load', async () => {
      const other = new DOMParser().parseFromString(await (await fetch('/guide.html')).text(), 'text/html')
      const scripts = [...other.scripts].filter(it => !it.type)
      document.querySelector('main').replaceWith(other.querySelector('main'))
      PUT
      document.querySelector('h1').textContent += ' after ' + document.title
    })`
  const ways = [
    {
      way: 'in place',
      put: 'for (const it of document.querySelectorAll("main script")) if (!it.type) { const made = document.createElement("script"); made.text = it.text; it.replaceWith(made) }',
    },
    {
      way: 'in the head',
      put: 'for (const it of scripts) { const made = document.createElement("script"); made.text = it.text; document.head.append(made); made.parentNode.removeChild(made) }',
    },
  ]

  test.each(ways)('can run the scripts of that page $way', async ({ put }) => {
    const exported = await run({ '/': markup('home'), '/guide': markup('guide'), '/app.js': start.replace('PUT', put) })
    expect(exported.report.scripts.mode).toBe('guarded')
    expect(await look(exported, 'index.html', 'root')).toEqual({
      text: `guide after home home1 guide1 ${words('guide')} guide`,
      failed: [],
      errors: [],
    })
  })
})

test('an app that starts only if its addresses are root-relative, and otherwise shows no error, runs at the root', {}, async () => {
  const markup = `<!doctype html><html><head><title>x</title><script src="/parts/app.js" defer></script></head><body><h1>x</h1><p>${words('quiet')}</p></body></html>`
  const exported = await run({
    '/': markup,
    '/parts/app.js':
      'if (document.currentScript.getAttribute("src") === "/parts/app.js") document.querySelector("h1").__app = { click() {} }',
  })
  expect(exported.report.scripts).toMatchObject({
    mode: 'guarded',
    reason: 'index.html on file://: its scripts run but do not hydrate it',
  })
  const isTaken = async (place: PlaceName) => (await show(exported, 'index.html', place))?.isTakenOver
  expect([await isTaken('root'), await isTaken('folder'), await isTaken('file')]).toEqual([true, false, false])
})

test('if an app loads a file for each checked page, the files for all pages are packed', {}, async () => {
  const names = Array.from({ length: 14 }, (_, index) => `p${index}`)
  const markup = (name: string) =>
    `<!doctype html><html><head><title>${name}</title><script src="/app.js" defer></script></head><body><h1>${name}</h1><p>${words(name)}</p>${names.map(other => `<a href="/${other}">${other}</a>`).join(' ')}</body></html>`
  const exported = await run({
    '/': markup('home'),
    '/app.js':
      'const name = location.pathname.split("/")[1]; if (name) fetch(["", "data", name, "its.json"].join("/")).then(it => it.json()).then(it => document.body.append(it))',
    ...Object.fromEntries(names.map(name => [`/${name}`, markup(name)])),
    ...Object.fromEntries(names.map(name => [`/data/${name}/its.json`, JSON.stringify(`data of ${name}`)])),
  })
  expect(exported.report.scripts.checkedPages.length).toBeLessThan(names.length)
  expect(exported.names).toEqual(expect.arrayContaining(names.map(name => `data/${name}/its.json`)))
})

test('scripts with a fallback for requests that file:// refuses run everywhere', async () => {
  const markup = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${words('plain')}</p><script src="app.js"></script></body></html>`
  const exported = await run({
    '/': markup,
    '/app.js': `const show = data => document.body.append(' ' + data.word)
      fetch('data.json').then(it => it.json()).then(show).catch(() => {
        const it = document.createElement('script')
        it.src = 'data.js'
        it.onload = () => show(window.data)
        document.head.append(it)
      })`,
    '/data.json': '{"word":"found"}',
    '/data.js': 'window.data = {"word":"found"}',
  })
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere', reason: null })
  for (const place of ['root', 'folder', 'file'] as const)
    expect(await look(exported, 'index.html', place)).toMatchObject({ text: `x ${words('plain')} found` })
})

test('scripts that work everywhere run everywhere, unchanged', async () => {
  const markup = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${words('plain')}</p><script src="nice.js"></script></body></html>`
  const exported = await run({ '/': markup, '/nice.js': 'document.body.append(" live")' })
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere', reason: null })
  expect(exported.names).not.toContain('_quire/runtime.js')
  expect(readEntry(exported.entries, 'index.html')).toContain('<script src="nice.js"></script>')
  for (const place of ['root', 'folder', 'file'] as const)
    expect(await look(exported, 'index.html', place)).toMatchObject({ text: `x ${words('plain')} live`, failed: [] })
})

test('scripts that fail even at the root are left out, and the report says why', async () => {
  const markup = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${words('plain')}</p><script src="app.js"></script></body></html>`
  const exported = await run({
    '/': markup,
    '/app.js': 'if (location.port === "") throw new Error("this host has no licence")',
  })
  expect(exported.report.scripts).toMatchObject({ mode: 'frozen' })
  expect(exported.report.scripts.reason).toMatch(/^index\.html at the root of a host: an error: .*no licence/)
  expect(readEntry(exported.entries, 'index.html')).not.toContain('app.js')
  expect(readEntry(exported.entries, 'export-report.html')).toContain('no licence')
})

test('a request to another host that also fails at the origin is not a fault of the bundle', {}, async () => {
  const markup = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${words('plain')}</p><script src="app.js"></script></body></html>`
  const ask = `fetch('https://play.rust-lang.org/meta/crates', { method: 'POST', headers: { 'Content-Type': 'application/json' } })`
  const exported = await run({
    '/': markup,
    '/app.js': `${ask}.catch(() => { document.body.append(' live') }); new Image().src = 'https://pixel.invalid/x.gif'`,
  })
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere', reason: null })
  for (const place of ['root', 'folder', 'file'] as const)
    expect(await look(exported, 'index.html', place)).toEqual({
      text: `x ${words('plain')} live`,
      failed: ['https://pixel.invalid/x.gif', 'https://play.rust-lang.org/meta/crates'],
      errors: [],
    })
})

test('a blocked request to the vendor of a kept product is not a fault', async () => {
  const vendor = '<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>'
  const markup = `<!doctype html><html><head><title>x</title>${vendor}</head><body><h1>x</h1><p>${words('plain')}</p><script src="nice.js"></script></body></html>`
  const server = await startFakeSite({ '/': markup, '/nice.js': 'document.body.append(" live")' })
  servers.push(server)
  const features = { search: true, assistant: true, analytics: true, playground: true }
  const { report, entries } = await exportFakeSite(server.origin, { deployment: 'cloud', features })
  expect(readEntry(entries, 'index.html')).toContain('googletagmanager.com')
  expect(report.keptFeatures).toHaveLength(1)
  expect(report.scripts).toMatchObject({ mode: 'everywhere', reason: null })
})

test('files that are requested only during the check in the browser are packed, and the bundle is checked again', {}, async () => {
  const markup = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${words('plain')}</p><script src="app.js"></script></body></html>`
  const asked: string[] = []
  const load = (name: string, then: string) =>
    `const it = document.createElement('script'); it.src = '/' + ['parts', '${name}'].join('/') + '.js'; document.body.append(it);${then}`
  const exported = await run(path => {
    asked.push(path)
    if (path === '/') return markup
    // The crawl does not see this request, because it depends on the host of the page.
    if (path === '/app.js') return `if (location.port === '' && location.protocol === 'http:') { ${load('one', '')} }`
    if (path === '/parts/one.js') return load('two', '')
    return path === '/parts/two.js' ? 'document.body.append(" complete")' : undefined
  })
  expect(exported.names).toEqual(expect.arrayContaining(['parts/one.js', 'parts/two.js']))
  expect(exported.report.scripts.mode).toBe('guarded')
  expect(await look(exported, 'index.html', 'root')).toEqual({
    text: `x ${words('plain')} complete`,
    failed: [],
    errors: [],
  })
  expect(asked.filter(path => path.startsWith('/parts/'))).toEqual(['/parts/one.js', '/parts/two.js'])
})
