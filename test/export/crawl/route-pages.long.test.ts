import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PlaceName } from '../../../server/export/model/report.ts'
import { createPlace } from '../../../server/export/verify/places.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { type BundleViewer, openBundleViewer } from '../../../server/web/browser/viewer.ts'
import { type Exported, exportFakeSite, type FakeOptions, type FakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-routes-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

let server: RunningServer | undefined
let viewer: BundleViewer | null = null

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterEach(async () => {
  await viewer?.close()
  viewer = null
  await server?.close()
})

async function run(site: FakeSite, options: FakeOptions = {}): Promise<Exported> {
  server = await startFakeSite(site)
  return exportFakeSite(server.origin, options)
}

const words = (name: string) => Array.from({ length: 30 }, (_, index) => `${name}${index}`).join(' ')

/** An app that shows a menu and the document that the fragment names. It ignores the path. */
const program = `
  const app = document.getElementById('app')
  async function show() {
    const [, route = '/'] = /^#(\\/[^?]*)/.exec(location.hash) || []
    const read = async name => { const answer = await fetch(name); return answer.ok ? answer.text() : null }
    const name = route.slice(1).replace(/\\/$/, '/README') || 'README'
    const [menu, text] = await Promise.all([read('_menu.txt'), read(name + '.txt')])
    document.title = name
    app.innerHTML = menu + '<main>' + (text || '<h1>404</h1><p>Nothing of that name is in these documents.</p>') + '</main>'
  }
  addEventListener('hashchange', show)
  document.documentElement.className = 'ready'
  show()`
const menu = '<a href="#/">home</a> <a href="#/guide">guide</a> <a href="#/part/">part</a> <a href="#/gone">gone</a> '
const documents: Record<string, string> = {
  '/README.txt': `<h1>Home</h1><p>${words('home')}</p><a href="#/guide?id=end">the end of the guide</a>`,
  '/guide.txt': `<h1>Guide</h1><p>${words('guide')}</p><h2 id="end">End</h2><a href="#end">down</a>`,
  '/part/README.txt': `<h1>Part</h1><p>${words('part')}</p><a href="/#/part/hidden">hidden</a>`,
  '/part/hidden.txt': `<h1>Hidden</h1><p>${words('hidden')}</p><img src="part/pic.png">`,
  '/_menu.txt': menu,
}
const app: FakeSite = {
  '/': '<!doctype html><html lang="en"><head><title>App</title><link rel="stylesheet" href="/app.css"></head><body class="site"><div id="app">Loading é ...</div><script src="/app.js"></script></body></html>',
  '/app.css': 'h1 { color: rgb(1, 2, 3) }',
  '/app.js': program,
  '/part/pic.png': 'a picture',
  ...documents,
}

/** Opens a page of the unpacked bundle in a place. Returns its text, failed requests and errors. */
async function look({ entries }: Exported, address: string, name: PlaceName) {
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
  const [path = '', fragment = ''] = address.split(/(?=#)/)
  const shown = await viewer.look(place.address(path) + fragment, place.answer)
  return { text: shown?.words.join(' '), failed: shown?.failed, errors: shown?.errors }
}

const text = (name: string, rest = '') =>
  `home guide part gone ${name[0]?.toUpperCase()}${name.slice(1)} ${words(name)}${rest}`
/** For each page: its file, its fragment and its text. */
const routes = [
  ['index.html', '#/', text('home', ' the end of the guide')],
  ['guide.html', '#/guide?id=end', text('guide', ' End down')],
  ['part/index.html', '#/part/', text('part', ' hidden')],
  ['part/hidden.html', '#/part/hidden', text('hidden')],
] as const

describe('an app whose pages differ only in the fragment', () => {
  test('runs at the root of a host, and elsewhere each of its pages is a static page', {}, async () => {
    const exported = await run(app)
    const { report, names, entries, sha256 } = exported
    const paths = ['guide.html', 'index.html', 'part/hidden.html', 'part/index.html']
    expect(names.filter(name => /html$/.test(name) && name !== 'export-report.html')).toEqual(paths)
    expect(report).toMatchObject({
      pages: 4,
      renderedPages: ['/', '/#/guide', '/#/part/', '/#/part/hidden'],
      deadLinks: [{ to: '/#/gone', reason: 'the app has no such page', count: 4 }],
      missingFiles: [],
      unresolved: [],
      differences: [],
      scripts: {
        mode: 'guarded',
        decidedBy: 'browser',
        checkedPages: ['index.html', 'guide.html', 'part/index.html', 'part/hidden.html'],
        heldOutPages: [],
      },
    })
    expect(report.notes).toEqual([expect.stringMatching(/^\/ shows 4 pages by fragments/)])
    expect(names).toEqual(
      expect.arrayContaining([...Object.keys(documents).map(path => path.slice(1)), 'part/pic.png']),
    )

    for (const [path, fragment, shown] of routes) {
      const good = { text: shown, failed: [], errors: [] }
      expect(await look(exported, `index.html${fragment}`, 'root')).toEqual(good)
      for (const place of ['root', 'folder', 'file'] as const)
        if (place !== 'root' || path !== 'index.html') expect(await look(exported, path, place)).toEqual(good)
    }
    const links = (path: string) =>
      Array.from(readEntry(entries, path).matchAll(/<a (?:class="quire-dead" )?([^>]*)>/g), ([, link]) => link)
    expect(links('index.html')).toEqual([
      ...['href="index.html"', 'href="guide.html"', 'href="part/index.html"', 'data-quire-dead="#/gone"'],
      'href="guide.html#end"',
    ])
    expect(links('guide.html')).toContain('href="#end"')
    expect(links('part/index.html')).toContain('href="hidden.html"')
    // Only our own script runs on the static pages.
    expect(readEntry(entries, 'guide.html')).not.toMatch(
      /<script (?!data-quire-removed|src="_quire\/runtime\.js" nonce=)/,
    )

    const again = await exportFakeSite(server?.origin ?? new URL('http://none.invalid'))
    expect(again.sha256).toBe(sha256)
  })

  test('is left out if it fails in the bundle, but its pages stay', async () => {
    const exported = await run({
      ...app,
      '/app.js': `if (location.port === '') throw new Error('this host has no licence'); ${program}`,
    })
    expect(exported.report.scripts).toMatchObject({ mode: 'frozen', reason: expect.stringContaining('no licence') })
    expect(exported.report.differences).toEqual([])
    expect(readEntry(exported.entries, 'index.html')).not.toContain('data-quire-app')
    for (const place of ['root', 'folder', 'file'] as const)
      expect((await look(exported, 'index.html', place)).text).toContain(words('home'))
  })

  test('has its pages in the offline search, and they do not take the names of real pages', {}, async () => {
    const { report, names, entries } = await run(
      {
        ...app,
        '/_menu.txt': `${menu}<a href="/guide.html">a real one</a>`,
        '/guide.html': `<h1>Real</h1><p>${words('real')}</p><a href="/#/part/">part</a>`,
      },
      { offlineSearch: true, verify: 'static' },
    )
    expect([report.pages, report.offlineSearch?.pages]).toEqual([5, 5])
    expect(report.scripts).toMatchObject({ mode: 'guarded', decidedBy: 'rule' })
    expect(readEntry(entries, 'guide.html')).toContain('real29')
    expect(readEntry(entries, 'guide.html')).toContain('href="part/index.html"')
    const [own = ''] = names.filter(name => /^guide~\w+\.html$/.test(name))
    expect(readEntry(entries, own)).toContain('guide29')
  })

  test('obeys the limit of pages', async () => {
    const { report, names } = await run(app, { limits: { pages: 2 }, verify: 'static' })
    expect(report.pages).toBe(2)
    expect(names).toContain('guide.html')
    expect(report.skipped).toEqual([{ url: '/#/part/', reason: 'past the limit of 2 pages' }])
  })

  test('has its pages below the path of the origin, and redirects between fragments are followed', {}, async () => {
    const moved = program.replace('show()\n', "if (location.hash === '#/old') location.replace('#/guide')\n")
    const below = Object.fromEntries(Object.entries(app).map(([path, body]) => [`/docs${path}`, body]))
    server = await startFakeSite({
      ...below,
      '/docs/': String(app['/']).replaceAll('"/app', '"/docs/app'),
      '/docs/app.js': moved.replace(
        "addEventListener('hashchange', show)",
        `if (location.hash === '#/old') location.replace('#/guide')\naddEventListener('hashchange', show)`,
      ),
      '/docs/_menu.txt': `${menu}<a href="#/old">old</a>`,
    })
    const { report, names, entries } = await exportFakeSite(new URL('/docs/', server.origin), { verify: 'static' })
    expect(names).toEqual(expect.arrayContaining(['docs/guide.html', 'docs/index.html', 'docs/part/index.html']))
    expect(readEntry(entries, 'docs/index.html')).toContain('<a href="guide.html">old</a>')
    expect(report.unresolved).toEqual([])
  })
})

describe('a page that is not such an app', () => {
  const built = (body: string) =>
    `<!doctype html><div id="app"></div><script>document.getElementById('app').innerHTML = ${JSON.stringify(body)};`
  const links = ['a', 'b', 'c'].map(name => `<a href="#/${name}">${name}</a>`).join(' ')

  test.each([
    ['has links to fragments that change nothing', `${built(`<p>${words('home')}</p>${links}`)}</script>`],
    [
      'has a clock',
      `${built(`<p>${words('home')}</p><b id="now"></b>${links}`)}document.getElementById('now').textContent = performance.now()</script>`,
    ],
    [
      'shows another part of the page for a fragment',
      `${built(`<p>${words('home')}</p>${links}<p id="more"></p>`)}if (location.hash) document.getElementById('more').textContent = location.hash + ' ${words('more')}'</script>`,
    ],
    [
      'is complete without scripts',
      `<h1>Home</h1><p>${words('home')} ${words('more')} ${words('still')}</p>${links}<script>if (location.hash) document.body.textContent = location.hash + ' ${words('other')}'</script>`,
    ],
  ])('%s', async (_, body) => {
    const { report, names, entries } = await run({ '/': body })
    expect([report.pages, report.notes, report.deadLinks]).toEqual([1, [], []])
    expect(names.filter(name => name.endsWith('.html'))).toEqual(['export-report.html', 'index.html'])
    expect(readEntry(entries, 'index.html')).toContain('href="#/a"')
  })

  test('has addresses with #!/, which the report names', async () => {
    const old = ['a', 'b', 'c'].map(name => `<a href="#!/${name}">${name}</a>`).join(' ')
    const { report } = await run({
      '/': `${built(`<p>${words('home')}</p>${old}`)}if (location.hash) document.body.textContent = '${words('other')}'</script>`,
    })
    expect([report.pages, report.notes]).toEqual([1, [expect.stringContaining('such as #!/page')]])
  })
})
