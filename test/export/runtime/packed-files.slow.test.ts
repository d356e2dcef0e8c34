import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import type { PlaceName } from '../../../server/export/model/report.ts'
import { createPlace } from '../../../server/export/verify/places.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { launch } from '../../../server/web/browser/launch.ts'
import { type BundleViewer, openBundleViewer } from '../../../server/web/browser/viewer.ts'
import { type Exported, exportFakeSite, type FakeSite, startFakeSite } from '../fake-site.ts'
import type { RunningServer } from '../static-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-packed-'))
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

async function run(site: FakeSite): Promise<Exported> {
  const server = await startFakeSite(site)
  servers.push(server)
  return exportFakeSite(server.origin, { allowLoss: true })
}

function unpack({ entries }: Exported): string {
  const folder = mkdtempSync(join(scratch, 'bundle '))
  for (const entry of entries) {
    mkdirSync(dirname(join(folder, entry.name)), { recursive: true })
    writeFileSync(join(folder, entry.name), entry.content)
  }
  return folder
}

/** Opens a page of the unpacked bundle in a place. Returns its text, failed requests and errors. */
async function look(exported: Exported, path: string, name: PlaceName) {
  const folder = unpack(exported)
  viewer ??= await openBundleViewer({
    executablePath: findBrowser() ?? '',
    allowNoSandbox: true,
    profileFolder: join(scratch, 'profile'),
    pageTimeoutMs: 20_000,
    pageRequests: 1000,
    signal: new AbortController().signal,
  })
  const place = createPlace(name, folder)
  const shown = await viewer.look(place.address(path), place.answer)
  return { text: shown?.words.join(' '), failed: shown?.failed, errors: shown?.errors }
}

const words = Array.from({ length: 70 }, (_, index) => `word${index}`).join(' ')
const doc = (name: string, root: string, markup: string) =>
  `<!doctype html><html><head><title>${name}</title></head><body><main><h1>${name}</h1><p>${words}</p><p id="said"></p><a href="${root}">home</a> <a href="${root}deep/er/">deeper</a></main><script>var root = "${root}"; function say(text) { document.getElementById("said").append(text + "; ") }</script>${markup}</body></html>`

/** A site whose pages are the same at each path, with addresses relative to the page. */
const siteWith = (markup: (root: string) => string, files: FakeSite): FakeSite => ({
  '/': doc('home', './', markup('')),
  '/deep/er/': doc('deeper', '../../', markup('../../')),
  ...(files as Record<string, string>),
})

const requests = `
  fetch(root + 'data/list.json?v=1').then(r => r.json().then(it => say('fetch ' + it.word + ' ' + r.status + ' ' + r.headers.get('content-type'))))
  fetch(new Request(root + 'data/picture.bin')).then(r => r.arrayBuffer()).then(it => say('bytes ' + new Uint8Array(it).join()))
  const old = new XMLHttpRequest()
  old.onreadystatechange = () => old.readyState === 4 && say('request ' + JSON.parse(old.responseText).word + ' ' + old.status)
  old.open('GET', root + 'data/list.json')
  old.send()
  const typed = new XMLHttpRequest()
  typed.responseType = 'json'
  typed.addEventListener('load', () => say('typed ' + typed.response.word + ' ' + typed.getResponseHeader('Content-Type')))
  typed.open('GET', new URL(root + 'data/list.json', document.baseURI))
  typed.send()
  const dropped = new XMLHttpRequest()
  dropped.onload = () => say('never')
  dropped.open('GET', root + 'data/list.json')
  dropped.send()
  dropped.abort()`

const said = [
  'fetch w\u00f6rd 200 application/json;',
  'bytes 255,0,1;',
  'request w\u00f6rd 200;',
  'typed w\u00f6rd application/json;',
]

test('scripts on file:// get files of the bundle that they fetch', async () => {
  const exported = await run(
    siteWith(root => `<script src="${root}app.js"></script>`, {
      '/app.js': requests,
      '/data/list.json': '{"word":"w\u00f6rd"}',
      '/data/picture.bin': Buffer.from([255, 0, 1]),
    }),
  )
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere', decidedBy: 'browser' })
  for (const path of ['index.html', 'deep/er/index.html']) {
    for (const place of ['file', 'folder'] as const) {
      const { text, ...faults } = await look(exported, path, place)
      for (const each of said) expect(text).toContain(each)
      expect(text).not.toContain('never')
      expect(faults).toEqual({ failed: [], errors: [] })
    }
  }
})

const worker = `
  importScripts('lib/words.js')
  onmessage = ({ data }) => {
    const request = new XMLHttpRequest()
    request.onload = () => fetch('../data/list.json').then(r => r.json()).then(it => postMessage([data, prefix, JSON.parse(request.responseText).word, it.word, location.pathname.endsWith('/search/worker.js')].join(' ')))
    request.open('GET', '../data/list.json')
    request.send()
  }`

test('a link on file:// leads to its page, also if a script requests the page', async () => {
  const follow = `
    fetch(root + 'data/list.json')
    document.addEventListener('click', event => {
      event.preventDefault()
      fetch(event.target.href).then(r => r.text()).then(html => { document.documentElement.innerHTML = html })
    })`
  const exported = await run(
    siteWith(root => `<script src="${root}app.js"></script>`, { '/app.js': follow, '/data/list.json': '{}' }),
  )
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere' })
  const folder = unpack(exported)
  const browser = await launch(
    { executablePath: findBrowser() ?? '', profileFolder: join(scratch, 'click'), allowNoSandbox: true },
    0,
  )
  try {
    const tab = await browser.newPage()
    await tab.goto(pathToFileURL(join(folder, 'index.html')).href)
    await Promise.all([tab.waitForNavigation(), tab.click('a[href*="deep"]')])
    expect(await tab.title()).toBe('deeper')
  } finally {
    await browser.close()
  }
})

test('a worker on file:// loads its scripts and data', async () => {
  const exported = await run(
    siteWith(root => `<script src="${root}app.js"></script>`, {
      '/app.js':
        "const worker = new Worker(root + 'search/worker.js'); worker.onmessage = ({ data }) => say(data); worker.postMessage('first'); worker.postMessage('second')",
      '/search/worker.js': worker,
      '/search/lib/words.js': "const prefix = 'loaded'",
      '/data/list.json': '{"word":"w\u00f6rd"}',
    }),
  )
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere', decidedBy: 'browser' })
  const { text, ...faults } = await look(exported, 'deep/er/index.html', 'file')
  expect(text).toContain('first loaded w\u00f6rd w\u00f6rd true;')
  expect(text).toContain('second loaded w\u00f6rd w\u00f6rd true;')
  expect(faults).toEqual({ failed: [], errors: [] })
})

test('a bundle whose scripts do not run on file:// has no copies', async () => {
  const exported = await run(
    siteWith(root => `<script src="${root}app.js"></script><script type="module" src="${root}mod.js"></script>`, {
      '/app.js': requests,
      '/mod.js': 'say("module")',
      '/data/list.json': '{"word":"w\u00f6rd"}',
      '/data/picture.bin': Buffer.from([255, 0, 1]),
    }),
  )
  expect(exported.report.scripts).toMatchObject({ mode: 'hosted' })
  expect(exported.names.filter(name => name.startsWith('_quire/packed'))).toEqual([])
  const home = exported.entries.find(({ name }) => name === 'index.html')
  expect(home?.content.toString()).not.toContain('packed')
})

test('shows parts of SVG files on file://, also those that no script inserts', async () => {
  const sprite = '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="find"><path d="M0 0h9v9z"/></symbol></svg>'
  const exported = await run(
    siteWith(root => `<svg><use href="${root}icons.svg#find"></use></svg><script>say("ran")</script>`, {
      '/icons.svg': { headers: { 'content-type': 'image/svg+xml' }, body: sprite } as never,
    }),
  )
  expect(exported.report.scripts).toMatchObject({ mode: 'everywhere' })
  const { text, ...faults } = await look(exported, 'deep/er/index.html', 'file')
  expect(text).toContain('ran;')
  expect(faults).toEqual({ failed: [], errors: [] })
})
