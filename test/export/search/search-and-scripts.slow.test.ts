import { describe, expect, test } from 'vitest'
import { readEntry } from '../read-archive.ts'
import { field, finder, names, searchable } from '../verify/searchable-site.ts'
import { needBrowser, open, run, setUpSearchExports, visit, words } from './search-exports.ts'

setUpSearchExports()

/** Finds its data only at the root of a host. */
const absolute = 'fetch(["", "names.json"].join("/")).then(it => it.json()).then(show).catch(() => {})'

describe('in Chromium', { timeout: 120_000 }, () => {
  needBrowser()

  test('the policy of a page without scripts allows only the scripts of the bundle', async () => {
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
      `<script src="_quire/runtime.js" nonce="${nonce}" defer="">`,
    ])
    const bundle = await open(outFile)
    const { go, press, ask, tab, faults } = await visit(bundle)
    for (const place of ['file', 'folder'] as const) {
      await go(bundle.address(place, 'index.html'))
      await press('/')
      expect(await ask('there')).toEqual(['There'])
      await press('Escape')
      expect(faults).toEqual([])
      // Scripts that could be left of the site: a file, inline, in an attribute, in a javascript: address.
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

  const asking = finder('fetch("/api/search?query=" + field.value).then(it => it.json()).then(show)')
  const served = searchable(field, { '/find.js': asking, '/api/search': '[]' })

  test('takes the place of a search that asks the server of the site, in all places', async () => {
    const { outFile, report, server } = await run(served, { verify: 'sample' })
    expect(report.notes[0]).toBe(
      'The search of the site asks its server for /api/search, so it finds nothing in the bundle. The packed search takes its place.',
    )
    // Only the first two letters of a word are sent.
    expect(server.requests.filter(path => /^\/api\/search\?query=.{3}/.test(path))).toEqual([])
    const bundle = await open(outFile)
    const { go, press, ask, tab } = await visit(bundle)
    for (const place of ['root', 'folder', 'file'] as const) {
      await go(bundle.address(place, 'index.html'))
      await tab.click('input[type=search]')
      expect(await ask('tables7')).toEqual(['Tables'])
      await press('Escape')
    }
  })

  test('a search that asks the server of the site is named in the report', async () => {
    const { report } = await run(served, { verify: 'sample', offlineSearch: false })
    expect(report.notes[0]).toContain('finds nothing in the bundle. Export with --offline-search')
  })

  test('takes the place of a search in the places where that one finds nothing', async () => {
    const files = { '/find.js': finder(absolute), '/names.json': JSON.stringify(names) }
    const { outFile } = await run(searchable(field, files), { verify: 'sample' })
    const bundle = await open(outFile)
    const { go, press, ask, tab } = await visit(bundle)
    for (const place of ['folder', 'file'] as const) {
      await go(bundle.address(place, 'index.html'))
      await tab.click('input[type=search]')
      expect(await ask('tables7')).toEqual(['Tables'])
      await press('Escape')
    }
    await go(bundle.address('root', 'index.html'))
    await tab.click('input[type=search]')
    await tab.keyboard.type('Tab')
    await tab.waitForSelector('#hits a')
  })

  test('pages whose scripts are left out have the search', async () => {
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
})
