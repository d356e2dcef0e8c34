import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeOptions, type FakeSite, nextFiles, page, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import { type RunningServer, serveFolder, startServer } from '../static-server.ts'
import { type OpenBundle, openBrowser, openBundle, openVisitor } from './search-visitor.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-search-'))
const closing: { close(): Promise<void> }[] = []
let browser: Browser | undefined

afterEach(async () => {
  for (const each of closing.splice(0)) await each.close()
})
afterAll(async () => {
  await browser?.close()
  rmSync(scratch, { recursive: true, force: true })
})

async function runExport(server: RunningServer, options: FakeOptions = {}) {
  const { outFile } = nextFiles()
  const exported = await exportFakeSite(server.origin, { offlineSearch: true, verify: 'static', ...options, outFile })
  return { ...exported, outFile }
}

async function run(site: FakeSite, options: FakeOptions = {}) {
  const server = await startFakeSite(site)
  closing.push(server)
  return runExport(server, options)
}

async function open(archive: string): Promise<OpenBundle> {
  const bundle = await openBundle(archive, mkdtempSync(join(scratch, 'bundle-')))
  closing.push(bundle)
  return bundle
}

const words = (name: string) => Array.from({ length: 70 }, (_, index) => `${name}${index}`).join(' ')
const guide = `<!doctype html><html><head><title>guide</title></head><body><h1>Guide</h1><p>${words('guide')}</p><h2 id="set-up">Set up</h2><p>Turn the zebra key.</p><a href="/">home</a></body></html>`
const plainSite: FakeSite = {
  '/': page('home', '<a href="/deep/guide">guide</a>'),
  '/deep/guide': guide,
}

test('is off unless asked for, and leaves no trace then', async () => {
  const without = await run(plainSite, { offlineSearch: false })
  expect(without.names).toEqual(['deep/guide/index.html', 'export-report.html', 'export-report.json', 'index.html'])
  expect(without.report.offlineSearch).toBeNull()
  for (const name of ['index.html', 'deep/guide/index.html'])
    expect(readEntry(without.entries, name)).not.toMatch(/_quire|<script/)
})

test('packs the search and tells of it, the same bytes each time', async () => {
  const server = await startFakeSite(plainSite)
  closing.push(server)
  const one = await runExport(server)
  expect(one.names.filter(name => name.startsWith('_quire'))).toEqual([
    '_quire/search.js',
    '_quire/search/directory.js',
    '_quire/search/text-0.js',
    '_quire/search/words-0.js',
  ])
  expect(one.report).toMatchObject({ offlineSearch: { pages: 2, sections: 3, files: 3 }, unresolved: [] })
  expect(readEntry(one.entries, 'export-report.html')).toContain('it finds in 2 pages with 3 sections')
  expect(readEntry(one.entries, 'deep/guide/index.html')).toContain('<script src="../../_quire/search.js" defer="">')
  expect((await runExport(server)).sha256).toBe(one.sha256)
})

describe('in Chromium', { timeout: 120_000 }, () => {
  beforeEach(async context => {
    if (!findBrowser()) return context.skip(`needs a Chromium; install one with: ${installCommand()}`)
    browser ??= await openBrowser()
  })
  const visit = async (bundle: OpenBundle) => {
    if (!browser) throw new Error('no browser')
    const visitor = await openVisitor(browser, bundle)
    closing.push({ close: () => visitor.tab.browserContext().close() })
    return visitor
  }

  test('finds and lands at the heading, at the root, in a folder and by double click, and loads nothing before', async () => {
    const { outFile } = await run(plainSite)
    const bundle = await open(outFile)
    const visitor = await visit(bundle)
    for (const place of ['root', 'folder', 'file'] as const) {
      await visitor.go(bundle.address(place, 'index.html'))
      expect(visitor.loaded.splice(0)).toEqual(['search.js'])
      expect(await visitor.state()).toMatchObject({ isOpen: false, hasButton: true })
      await visitor.press('/')
      expect(await visitor.ask('zebr')).toEqual(['Set up'])
      await Promise.all([visitor.tab.waitForNavigation(), visitor.press('Enter')])
      expect(visitor.tab.url()).toBe(`${bundle.address(place, 'deep/guide/index.html')}#set-up`)
      expect(visitor.loaded.splice(0).sort()).toEqual([
        'search.js',
        'search/directory.js',
        'search/text-0.js',
        'search/words-0.js',
      ])
      // From a deep page back up.
      await visitor.tab.keyboard.down('Control')
      await visitor.press('k')
      await visitor.tab.keyboard.up('Control')
      expect(await visitor.ask('words home')).toEqual(['home'])
      await Promise.all([visitor.tab.waitForNavigation(), visitor.press('Enter')])
      expect(visitor.tab.url()).toBe(bundle.address(place, 'index.html'))
      visitor.loaded.length = 0
    }
    expect(visitor.faults).toEqual([])
  })

  test('is worked by keys alone, and gives the focus back', async () => {
    const list = Array.from({ length: 5 }, (_, index) => `<h2 id="h${index}">Key ${index}</h2><p>x</p>`).join('')
    const { outFile } = await run({ '/': page('home', `<button id="mine">mine</button><input id="other">${list}`) })
    const bundle = await open(outFile)
    const { go, press, ask, state, tab, faults } = await visit(bundle)
    await go(bundle.address('file', 'index.html'))
    // A slash that somebody writes is a slash.
    await tab.focus('#other')
    await press('/')
    expect(await state()).toMatchObject({ isOpen: false })
    await tab.focus('#mine')
    await press('/')
    expect(await ask('key')).toHaveLength(3)
    expect((await state()).chosen).toBe(0)
    await press('ArrowDown', 'ArrowDown')
    expect((await state()).chosen).toBe(2)
    await press('ArrowDown')
    expect((await state()).chosen).toBe(0)
    await press('ArrowUp')
    expect((await state()).chosen).toBe(2)
    const tree = JSON.stringify(await tab.accessibility.snapshot({ includeIframes: false }))
    expect(tree).toMatch(/"role":"dialog"[^[]*"name":"Search"[^[]*"modal":true/)
    expect(tree).toMatch(/"role":"combobox"[^}]*"name":"Search"[^}]*"expanded":true,"focused":true/)
    expect(tree.match(/"role":"option"/g)).toHaveLength(3)
    await press('Escape')
    expect(await state()).toMatchObject({ isOpen: false })
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe('mine')
    await press('/')
    expect(await state()).toMatchObject({ isOpen: true, question: 'key' })
    await press('Enter')
    await tab.waitForFunction(() => /^#h\d$/.test(location.hash))
    expect(await state()).toMatchObject({ isOpen: false })
    // Whoever is faster than the answer gets to the answer.
    await press('/')
    await tab.keyboard.type('key 4')
    await press('Enter')
    await tab.waitForFunction(() => location.hash === '#h4')
    expect(await state()).toMatchObject({ isOpen: false })
    expect(faults).toEqual([])
  })

  test('opens from the field of the site where the scripts of the site do not run', async () => {
    const field = '<form role="search" action="/find"><input name="q" placeholder="Search"><button>Go</button></form>'
    const { outFile } = await run({ '/': page('home', field), '/find': page('find') })
    const bundle = await open(outFile)
    const { go, press, ask, state, tab, faults } = await visit(bundle)
    await go(bundle.address('file', 'index.html'))
    expect(await state()).toMatchObject({ isOpen: false, hasButton: false })
    await tab.focus('input[name=q]')
    expect(await state()).toMatchObject({ isOpen: false })
    await press('w')
    expect(await state()).toMatchObject({ isOpen: true, question: 'w' })
    expect(await ask('ords page')).toEqual(['find', 'home'])
    await press('Escape')
    await tab.click('form button')
    expect(await state()).toMatchObject({ isOpen: true })
    expect(tab.url()).toBe(bundle.address('file', 'index.html'))
    expect(faults).toEqual([])
  })

  test('a page that shuts all scripts out lets this one in, and no other', async () => {
    const program = `document.getElementById('app').innerHTML = '<main><h1>Made</h1><p>' + ${JSON.stringify(words('app'))} + '</p><h2 id="there">There</h2></main>'`
    const { outFile, entries, report } = await run({
      '/': '<!doctype html><html><head><title>x</title></head><body><div id="app"></div><script src="/app.js"></script></body></html>',
      '/app.js': { body: program, headers: { 'content-type': 'text/javascript' } },
    })
    expect(report.renderedPages).toEqual(['/'])
    const html = readEntry(entries, 'index.html')
    const [, nonce] = /script-src 'nonce-([\w-]{24})'; form-action/.exec(html) ?? []
    expect(html.match(/<script[^>]* src=[^>]*>/g)).toEqual([
      `<script src="_quire/search.js" nonce="${nonce}" defer="">`,
    ])
    const bundle = await open(outFile)
    const { go, press, ask, tab, faults } = await visit(bundle)
    for (const place of ['file', 'folder'] as const) {
      await go(bundle.address(place, 'index.html'))
      await press('/')
      expect(await ask('there')).toEqual(['There'])
      await press('Escape')
      expect(faults).toEqual([])
      // Whatever would be left of the site: by address, inline, by an attribute, by an address that is a script.
      await tab.evaluate(() => {
        const script = (set: Partial<HTMLScriptElement>) =>
          document.body.append(Object.assign(document.createElement('script'), set))
        script({ src: '_quire/search.js' })
        script({ text: 'window.ran = 1' })
        document.body.insertAdjacentHTML(
          'beforeend',
          '<img src="data:," onerror="window.ran = 2"><a id="evil" href="javascript:window.ran = 3">x</a>',
        )
        document.getElementById('evil')?.click()
      })
      await new Promise(resolve => setTimeout(resolve, 300))
      expect(await tab.evaluate('window.ran')).toBeUndefined()
      expect(faults.splice(0).filter(fault => /Content Security Policy/.test(fault)).length).toBeGreaterThanOrEqual(3)
    }
  })

  test('stays out of the way where the site searches itself, and takes over where it cannot', async () => {
    const app = `
      const known = location.pathname.replace(/(\\/index\\.html|\\/)$/, '') === ''
      document.getElementById('root').firstChild.textContent = known ? 'live' : 'This page was not found by the app'
      addEventListener('keydown', event => { if (event.key === '/') document.title = 'own search' })`
    const site: FakeSite = {
      '/': `<!doctype html><html><head><title>app</title><script type="module" src="/app.js"></script></head><body><div id="root"><h1>app</h1><button class="DocSearch" disabled>Find</button><p>${words('app')}</p></div></body></html>`,
      '/app.js': app,
    }
    const { outFile, report } = await run(site, { verify: 'sample' })
    expect(report.scripts.mode).toBe('guarded')
    expect(report.differences).toEqual([])
    const bundle = await open(outFile)
    const visitor = await visit(bundle)
    await visitor.go(bundle.address('root', ''))
    await new Promise(resolve => setTimeout(resolve, 1200))
    await visitor.press('/')
    expect(await visitor.tab.title()).toBe('own search')
    expect(await visitor.state()).toMatchObject({ isOpen: false, hasButton: false })
    for (const place of ['folder', 'file'] as const) {
      await visitor.go(bundle.address(place, 'index.html'))
      expect(await visitor.state()).toMatchObject({ hasButton: false })
      await visitor.tab.click('button.DocSearch')
      expect(await visitor.ask('app42')).toEqual(['app'])
      await visitor.press('Escape')
    }
    expect(visitor.faults).toEqual([])
  })

  test('takes the place of a search service that is gone, also where scripts put its button up again', async () => {
    const app = `
      const button = document.createElement('button')
      button.className = 'DocSearch-Button'
      button.textContent = 'Search docs'
      button.onclick = () => { document.title = 'dead' }
      document.body.prepend(button)
      addEventListener('keydown', event => { if (event.key === '/') { event.preventDefault(); document.title = 'dead' } })`
    const service = '<script src="https://cdn.jsdelivr.net/npm/@docsearch/js@3"></script><div id="docsearch"></div>'
    const { outFile, report } = await run({
      '/': `<!doctype html><html><head><title>app</title></head><body><h1>app</h1><p>${words('app')}</p>${service}<script src="app.js"></script></body></html>`,
      '/app.js': app,
    })
    expect(report.removedFeatures).toMatchObject([{ feature: 'search', pages: 1 }])
    expect(report.scripts.mode).toBe('everywhere')
    const bundle = await open(outFile)
    const { go, press, ask, state, tab, faults } = await visit(bundle)
    for (const place of ['root', 'file'] as const) {
      await go(bundle.address(place, 'index.html'))
      await tab.click('.DocSearch-Button')
      expect(await ask('app12/')).toEqual(['app'])
      await press('Escape', '/')
      expect(await state()).toMatchObject({ isOpen: true, hasButton: false })
      await press('Escape')
      expect(await tab.title()).toBe('app')
    }
    expect(faults).toEqual([])
  })

  test('pages left without their scripts have the search', async () => {
    const markup = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${words('plain')}</p><script src="app.js"></script></body></html>`
    const { outFile, report, entries } = await run(
      { '/': markup, '/app.js': 'if (location.port === "") throw new Error("this host has no licence")' },
      { verify: 'sample' },
    )
    expect(report.scripts.mode).toBe('frozen')
    expect(readEntry(entries, 'index.html').match(/<script[^>]*>/g)).toEqual([
      '<script src="_quire/runtime.js" defer>',
      '<script src="_quire/search.js" defer="">',
    ])
    const bundle = await open(outFile)
    const { go, press, ask, faults } = await visit(bundle)
    await go(bundle.address('file', 'index.html'))
    await press('/')
    expect(await ask('plain7')).toEqual(['x'])
    expect(faults).toEqual([])
  })

  const docs = '/usr/share/doc/python3.11/html'
  test.skipIf(!existsSync(docs))('finds in pages that nobody here wrote', async () => {
    // Without the scripts of the site, which bring a search of their own.
    const files = serveFolder(docs)
    const server = await startServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://docs.invalid').pathname
      if (!path.endsWith('.html')) return files(request, response)
      const html = readFileSync(join(docs, path), 'utf8').replace(/<script\b[\s\S]*?<\/script>/gi, '')
      response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    })
    closing.push(server)
    const names = ['datastructures', 'classes', 'errors', 'inputoutput', 'modules', 'stdlib', 'venv', 'controlflow']
    const paths = names.map(name => `/tutorial/${name}.html`)
    const { outFile } = await runExport(server, { paths })
    const bundle = await open(outFile)
    const visitor = await visit(bundle)
    const questions: [string, string][] = [
      ['list comprehensions', 'tutorial/datastructures.html#list-comprehensions'],
      ['multiple inheritance', 'tutorial/classes.html#multiple-inheritance'],
      ['virtual environments pa', 'tutorial/venv.html'],
      ['formatted string literals', 'tutorial/inputoutput.html#formatted-string-literals'],
    ]
    for (const place of ['root', 'folder', 'file'] as const) {
      for (const [question, want] of questions) {
        await visitor.go(bundle.address(place, 'tutorial/modules.html'))
        await visitor.press('/')
        await visitor.ask(question)
        await Promise.all([visitor.tab.waitForNavigation(), visitor.press('Enter')])
        expect(visitor.tab.url()).toBe(bundle.address(place, want))
      }
    }
    expect(visitor.faults).toEqual([])
  })
})
