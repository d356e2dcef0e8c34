import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeSite, nextFiles, page, startFakeSite } from '../../export/fake-site.ts'
import { readEntry } from '../../export/read-archive.ts'
import type { RunningServer } from '../../export/static-server.ts'

const servers: { close(): Promise<unknown> }[] = []

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function start(site: FakeSite): Promise<RunningServer> {
  const server = await startFakeSite(site)
  servers.push(server)
  return server
}

/** A site whose pages are built in the browser: any path answers with the same shell, and a script loads JSON. */
function app(pages: Record<string, string>, script = ''): FakeSite {
  const shell = `<!doctype html><html><head><title>App</title><link rel="stylesheet" href="/app.css"></head><body><div id="app">Loading ...</div><script src="/app.js"></script></body></html>`
  const program = `
    ${script}
    fetch('/data.json').then(answer => answer.json()).then(pages => {
      const found = pages[location.pathname.replace(/\\/$/, '') || '/']
      document.getElementById('app').innerHTML = '<nav>' + Object.keys(pages).map(path => '<a href="' + path + '">' + path + '</a>').join(' ') + '</nav>' +
        '<main>' + (found || '<h1>404</h1><p>There is no such page in this app, sorry about that.</p>') + '</main>'
    })`
  return path => {
    if (path === '/app.js') return { body: program, headers: { 'content-type': 'text/javascript' } }
    if (path === '/app.css')
      return { body: 'nav { background: url(/nav.png) }', headers: { 'content-type': 'text/css' } }
    if (path === '/data.json') return { body: JSON.stringify(pages), headers: { 'content-type': 'application/json' } }
    if (path.endsWith('.png')) return { body: path, headers: { 'content-type': 'image/png' } }
    return shell
  }
}

const words = (name: string) =>
  `<h1>${name}</h1><p>${Array.from({ length: 30 }, (_, index) => `${name}${index}`).join(' ')}</p>`

test('exports a site that scripts build, page by page, without its scripts', { timeout: 60_000 }, async () => {
  const { origin } = await start(
    app(
      {
        '/': words('home'),
        '/guide': `${words('guide')}<img src="/guide.png" onload="done()"><a href="/gone">gone</a>`,
        '/lazy': `${words('lazy')}<div style="height:5000px"></div><img id="late" data-src="/late.png">`,
      },
      `
    new MutationObserver(() => {
      const late = document.getElementById('late')
      if (late) new IntersectionObserver(([entry]) => { if (entry.isIntersecting) late.src = late.dataset.src }).observe(late)
    }).observe(document, { childList: true, subtree: true })`,
    ),
  )
  const first = await exportFakeSite(origin)
  expect(first.names).toEqual([
    '_quire/runtime.js',
    'app.css',
    'export-report.html',
    'export-report.json',
    'guide.html',
    'guide.png',
    'guide/index.htm',
    'index.html',
    'late.png',
    'lazy.html',
    'lazy/index.htm',
    'nav.png',
    'quire-manifest.json',
  ])
  const guide = readEntry(first.entries, 'guide.html')
  expect(guide).toContain('guide29')
  expect(guide).toContain('<img src="guide.png">')
  expect(guide).toContain('<a href="lazy.html">')
  expect(guide).toContain('<a class="quire-dead" data-quire-dead="/gone">gone</a>')
  const [runtime = ''] = /<script src="_quire\/runtime\.js" nonce="[\w-]+" defer=""><\/script>/.exec(guide) ?? []
  expect(guide.replace(runtime, '')).not.toMatch(/<script[^>]*>[^<]|<script[^>]* src=/)
  expect(runtime).not.toBe('')
  expect(readEntry(first.entries, 'lazy.html')).toContain('src="late.png"')
  expect(first.report).toMatchObject({
    pages: 3,
    renderedPages: ['/', '/guide', '/lazy'],
    deadLinks: [{ to: '/gone', reason: 'same response as the not-found page of the site' }],
    unresolved: [],
  })
  const second = await exportFakeSite(origin)
  expect(second.sha256).toBe(first.sha256)
})

test('loads pictures that load when they are visible, even if few frames are drawn', { timeout: 60_000 }, async () => {
  const places = Array.from(
    { length: 8 },
    (_, index) => `<div style="height:2300px"></div><img class="lazy" data-name="late-${index}">`,
  )
  // Eight frames per second, as on a busy machine.
  const slowly = `
    const drawNow = requestAnimationFrame
    const waiting = []
    window.requestAnimationFrame = callback => waiting.push(callback)
    setInterval(() => drawNow(now => { for (const callback of waiting.splice(0)) callback(now) }), 120)`
  const loader = `
    requestAnimationFrame(function look() {
      for (const image of document.querySelectorAll('.lazy')) {
        const { top, bottom } = image.getBoundingClientRect()
        if (bottom < 0 || top > innerHeight) continue
        image.src = '/' + image.dataset.name + '.png'
        image.className = ''
      }
      requestAnimationFrame(look)
    })`
  const { origin } = await start(app({ '/': words('home') + places.join('') }, slowly + loader))
  const { names } = await exportFakeSite(origin)
  expect(names.filter(name => name.startsWith('late-'))).toHaveLength(8)
})

test('if the HTML of a template lacks content that scripts add, all its pages are rendered', {
  timeout: 60_000,
}, async () => {
  const filler = Array.from({ length: 80 }, (_, index) => `frame${index}`).join(' ')
  const framed = (name: string) =>
    page(
      name,
      `<p>${filler}</p><div class="late"></div><script src="/late.js"></script><a href="/b">b</a><a href="/plain">p</a>`,
    )
  const { origin } = await start({
    '/': framed('a'),
    '/b': framed('b'),
    '/plain': page('plain', `<p>${filler}</p><script src="/harmless.js"></script>`),
    '/late.js': `document.querySelector('.late').innerHTML = ${JSON.stringify(words('late'))} + '<a href="/only-in-dom">x</a>'`,
    '/harmless.js': 'document.body.dataset.seen = 1; fetch("/" + "seen" + ".json")',
    '/seen.json': '{}',
    '/only-in-dom': page('only in dom'),
  })
  const { names, entries, report } = await exportFakeSite(origin)
  expect(report.renderedPages).toEqual(['/', '/b'])
  expect(report.comparedPages).toEqual(['/', '/plain'])
  expect(names).toContain('only-in-dom.html')
  expect(readEntry(entries, 'b.html')).toContain('late29')
  expect(readEntry(entries, 'plain.html')).toContain('<script type="text/quire" src="harmless.js"></script>')
  expect(names).toContain('seen.json')
})

test('pages whose scripts build only menus keep their scripts, and the links of the menus are followed', {
  timeout: 60_000,
}, async () => {
  const members = Array.from(
    { length: 90 },
    (_, index) => `<li><span>C</span><a href="#m${index}">member${index}</a></li>`,
  )
  const pageOf = (name: string, body: string) =>
    page(name, `<div id="side-nav"></div><h1>${name}</h1>${body}<script src="/menu.js"></script>`)
  const menu = Array.from({ length: 40 }, (_, index) => `<a href="/entry">entry${index}</a>`).join(' ')
  const { origin } = await start({
    // The first page has little text besides the menu. The list has words that are split into two elements.
    '/': pageOf('start', '<a href="/list">list</a>'),
    '/list': pageOf('list', `<ul>${members.join('')}</ul>`),
    '/menu.js': `document.getElementById('side-nav').innerHTML = ${JSON.stringify(`${menu}<a href="/only-in-menu">x</a>`)}`,
    '/entry': pageOf('entry', `<p>${Array.from({ length: 80 }, (_, index) => `plain${index}`).join(' ')}</p>`),
    '/only-in-menu': page('only in menu'),
  })
  const { names, entries, report } = await exportFakeSite(origin)
  expect(report.renderedPages).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['entry.html', 'only-in-menu.html']))
  expect(readEntry(entries, 'list.html')).toContain('menu.js')
  expect(report.scripts.mode).toBe('everywhere')
})

test('serializes shadow trees and style rules that scripts create', { timeout: 60_000 }, async () => {
  const { origin } = await start({
    '/': `<!doctype html><html><head></head><body><div id="app"></div><script>
      const style = document.createElement('style'); document.head.append(style); style.sheet.insertRule('p { color: rgb(1, 2, 3) }')
      const app = document.getElementById('app'); app.innerHTML = ${JSON.stringify(words('outer'))} + '<x-card></x-card>'
      customElements.define('x-card', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<b>inner words</b>' } })
      </script></body></html>`,
  })
  const { entries } = await exportFakeSite(origin)
  const home = readEntry(entries, 'index.html')
  expect(home).toContain('p { color: rgb(1, 2, 3); }')
  expect(home).toMatch(/<x-card><template shadowrootmode="open"[^>]*><b>inner words<\/b><\/template><\/x-card>/)
})

describe('a page cannot do harm', () => {
  test('none of its requests reaches another address, not even this machine', { timeout: 60_000 }, async () => {
    let connections = 0
    const canary = createServer(socket => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>(resolve => canary.listen(0, '::', resolve))
    servers.push({ close: () => new Promise(resolve => canary.close(resolve)) })
    const { port } = canary.address() as AddressInfo
    const hosts = [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      `0x7f.1:${port}`,
      `quire.localhost:${port}`,
    ]
    const tries = hosts
      .map(
        host => `
        fetch('http://${host}/fetch').catch(() => {}); fetch('http://${host}/post', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => {})
        navigator.sendBeacon('http://${host}/beacon'); new Image().src = 'http://${host}/image.png'
        try { new WebSocket('ws://${host}/socket') } catch {} try { new EventSource('http://${host}/events') } catch {}
        try { new Worker(URL.createObjectURL(new Blob(['fetch("http://${host}/worker")']))) } catch {}
        for (const [name, rel] of [['link', 'prefetch'], ['link', 'preconnect'], ['link', 'dns-prefetch'], ['link', 'stylesheet']]) { const e = document.createElement(name); e.rel = rel; e.href = 'http://${host}/' + rel; document.head.append(e) }
        for (const name of ['iframe', 'script', 'embed', 'video']) { const e = document.createElement(name); e.src = 'http://${host}/' + name; document.body.append(e) }
        const form = document.createElement('form'); form.action = 'http://${host}/form'; form.method = 'post'; form.target = '_blank'; document.body.append(form); form.submit()
        new FontFace('x', 'url(http://${host}/font.woff2)').load().catch(() => {}); open('http://${host}/popup')
        if (self.RTCPeerConnection) { const rtc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] }); rtc.createDataChannel('x'); rtc.createOffer().then(offer => rtc.setLocalDescription(offer)) }`,
      )
      .map(code => `{${code}}`)
      .join('\n')
    const { origin } = await start({
      '/': `<!doctype html><body><div id="app"></div><script>document.getElementById('app').innerHTML = ${JSON.stringify(words('trap'))}; ${tries}; navigator.serviceWorker?.register('/worker.js').catch(() => {}); setTimeout(() => { location.href = 'http://${hosts[0]}/away' }, 50)</script></body>`,
      '/worker.js': `self.addEventListener('install', () => fetch('http://${hosts[0]}/service-worker'))`,
    })
    const { entries, report } = await exportFakeSite(origin)
    expect(connections).toBe(0)
    const home = readEntry(entries, 'index.html')
    expect(home).toContain('trap29')
    expect(home).not.toMatch(new RegExp(`\\b(src|href)="http://[^"]*:${port}`))
    expect(report.unresolved).toEqual([])
  })

  test.each([
    ['a loop of dialogs', 'setInterval(() => { alert(1); confirm(2); prompt(3) }, 1)'],
    [
      'a document that changes constantly',
      'setInterval(() => { document.title = Math.random(); document.body.append(document.createElement("i")) }, 5)',
    ],
    [
      'a download',
      'const a = document.createElement("a"); a.href = "data:application/octet-stream,x"; a.download = "x.bin"; document.body.append(a); a.click()',
    ],
    [
      'windows that open windows',
      'for (let i = 0; i < 20; i++) { open("/"); const a = document.createElement("a"); a.href = "/"; a.target = "_blank"; document.body.append(a); a.click() }',
    ],
  ])('%s', { timeout: 60_000 }, async (_, script) => {
    const { origin } = await start({
      '/': `<!doctype html><body><div id="app"></div><script>document.getElementById('app').innerHTML = ${JSON.stringify(words('stay'))}; ${script}</script></body>`,
    })
    const { entries } = await exportFakeSite(origin)
    expect(readEntry(entries, 'index.html')).toContain('stay29')
  })

  test('a page that blocks the browser uses up only its own time limit', { timeout: 60_000 }, async () => {
    const { origin } = await start({
      '/': page('home', '<a href="/stuck">x</a><a href="/fine">y</a>'),
      '/stuck': '<div id="app"></div><script>for (;;) {}</script>',
      '/fine': `<div id="app"></div><script>document.getElementById('app').innerHTML = ${JSON.stringify(words('fine'))}</script>`,
    })
    const { entries, report } = await exportFakeSite(origin, { limits: { pageTimeoutMs: 3000 } })
    expect(readEntry(entries, 'fine.html')).toContain('fine29')
    expect(report.notes).toEqual(['/stuck may be incomplete: its scripts build it, and no browser could show it.'])
  })
})

test('an abort ends the browser too', { timeout: 60_000 }, async () => {
  const controller = new AbortController()
  const { origin } = await start(
    app(
      Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [index === 0 ? '/' : `/p${index}`, words(`p${index}x`)]),
      ),
    ),
  )
  const work = exportFakeSite(origin, {
    ...nextFiles(),
    signal: controller.signal,
    onProgress: ({ pagesDone }) => pagesDone >= 3 && controller.abort(),
  })
  await expect(work).rejects.toMatchObject({ code: 'aborted' })
})
