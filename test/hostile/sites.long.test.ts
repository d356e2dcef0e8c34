import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listTree } from '../../scripts/bench/export/process-tree.ts'
import { ExportError } from '../../server/export/model/export-error.ts'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { type Exported, exportFakeSite, type FakeAnswer, type FakeOptions, nextFiles } from '../export/fake-site.ts'
import { readArchive, unpackArchive } from '../export/read-archive.ts'
import { createRandom } from '../support/random.ts'

/** Answers a path; null when it already answered by itself. */
type HostileSite = (path: string, ...rest: Parameters<RequestListener>) => FakeAnswer | string | null | undefined

interface Outcome {
  exported?: Exported
  error?: ExportError
}

const random = createRandom('endless sitemaps')
const limits = {
  pages: 60,
  files: 200,
  pageTimeoutMs: 4000,
  jobTimeoutMs: 25_000,
  fileBytes: 2_000_000,
  pageBytes: 2_000_000,
  totalBytes: 30_000_000,
}
/** The site runs in this process, too. */
const maxGrowthBytes = 1000 * 1024 ** 2
// Each export has ten seconds to end after its limit; tests with another limit say so.
vi.setConfig({ testTimeout: 35_000 })
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function start(site: HostileSite): Promise<URL> {
  const server = createServer((request, response) => {
    response.on('error', () => {})
    const path = request.url ?? '/'
    const found = site(path, request, response)
    if (found === null) return
    const answer = typeof found === 'string' ? { body: found } : (found ?? { status: 404, body: '<h1>Not found</h1>' })
    response
      .writeHead(answer.status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...answer.headers })
      .end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

/**
 * Exports a hostile site. It must end within its time (the timeout of the test), with a bundle whose files stay in their folder or with a sentence,
 * and without a file left behind.
 */
async function run(site: HostileSite, options: FakeOptions = {}): Promise<Outcome> {
  const origin = await start(site)
  const files = nextFiles()
  const heldBefore = process.memoryUsage().rss
  let maxHeld = heldBefore
  const sampling = setInterval(() => {
    maxHeld = Math.max(maxHeld, process.memoryUsage().rss)
  }, 50)
  const given = { ...limits, ...options.limits }
  const outcome: Outcome = await exportFakeSite(origin, { ...files, ...options, limits: given }).then(
    exported => ({ exported }),
    error => ({ error }),
  )
  clearInterval(sampling)
  expect(maxHeld - heldBefore).toBeLessThan(maxGrowthBytes)
  if (outcome.error) {
    expect(outcome.error).toBeInstanceOf(ExportError)
    expect(outcome.error.message).toMatch(/^\S.{20,300}\.$/)
    expect(existsSync(files.outFile)).toBe(false)
  } else {
    const folder = mkdtempSync(join(tmpdir(), 'quire-hostile-'))
    unpackArchive(files.outFile, folder)
    const entries = readArchive(files.outFile)
    for (const { mode } of entries) expect(['100644', '644']).toContain(mode.toString(8))
    const names = entries.map(({ name }) => name)
    const folded = names.map(name => name.normalize('NFC').toLowerCase())
    expect(new Set(folded).size).toBe(names.length)
    for (const name of names) {
      expect(name).not.toMatch(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for
        /(^|\/)\.\.?(\/|$)|^\/|[\\:*?"<>|\0-\x1f]|[. ](\/|$)|(^|\/)(con|prn|aux|nul|com\d|lpt\d)(\.|\/|$)/i,
      )
      for (const segment of name.split('/')) expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(255)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    }
    expect(readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())).toHaveLength(
      names.length,
    )
    JSON.parse(readFileSync(join(folder, 'export-report.json'), 'utf8'))
    rmSync(folder, { recursive: true, force: true })
  }
  return outcome
}

/** A page with words of its own, so that no two pass for the one that stands for missing ones. */
function page(name: string, markup = ''): string {
  const words = Array.from({ length: 12 }, (_, index) => createHash('md5').update(`${name} ${index}`).digest('hex'))
  return `<!doctype html><title>${words[0]}</title><p>${words.join(' ')}</p>${markup}`
}

const home = (markup: string) => page('home', markup)
const only =
  (path: string, answer: FakeAnswer | string, markup = '<a href="/x">x</a>'): HostileSite =>
  asked =>
    asked === '/' ? home(markup) : asked === path ? answer : undefined

/** Sends the same bytes until nobody listens; `gapMs` apart. */
function drip(response: Parameters<RequestListener>[1], bytes: Buffer | string, gapMs: number): null {
  const timer = setInterval(() => response.write(bytes), gapMs)
  response.on('close', () => clearInterval(timer))
  return null
}

const skippedPages = ({ exported }: Outcome) => exported?.report.skipped.length ?? 0
const reasonsOf = ({ exported }: Outcome) =>
  [...(exported?.report.deadLinks ?? []), ...(exported?.report.missingFiles ?? [])]
    .map(({ reason }) => reason)
    .join('; ')

test('the sites fail for what they do: a harmless one is exported', async () => {
  const { exported } = await run(only('/x', page('x')))
  expect(exported?.pageCount).toBe(2)
})

describe('too much', () => {
  test('links without end', async () => {
    let next = 0
    const outcome = await run(path =>
      page(path, Array.from({ length: 10 }, () => `<a href="/p${next++}">x</a>`).join('')),
    )
    expect(outcome.exported?.pageCount).toBe(limits.pages)
    expect(skippedPages(outcome)).toBeGreaterThan(100)
  })

  test('folders without end', async () => {
    const { exported } = await run(path => page(path, '<a href="deeper/">x</a><a href="?a=1">y</a>'))
    expect(exported?.pageCount).toBeLessThan(50)
  })

  test('a page with 300,000 links', { timeout: 70_000 }, async () => {
    const links = Array.from({ length: 300_000 }, (_, index) => `<a href=/${index}>`).join('')
    const { exported } = await run(path => (path === '/' ? home(links) : page(path)), {
      limits: { pageBytes: 20_000_000, jobTimeoutMs: 60_000 },
    })
    expect(exported?.pageCount).toBe(limits.pages)
  })

  test('a body without end', async () => {
    const outcome = await run((path, _, response) => {
      if (path === '/') return home('<a href="/x">x</a><img src="/y.png">')
      if (path !== '/x' && path !== '/y.png') return undefined
      response.writeHead(200, { 'content-type': path === '/x' ? 'text/html' : 'image/png' })
      return drip(response, Buffer.alloc(65_536, 'a'), 1)
    })
    expect(outcome.exported?.pageCount).toBe(1)
    expect(reasonsOf(outcome)).toContain('larger than the limit of 1.9 MB')
  })

  test.each(['/', '/robots.txt', '/sitemap.xml', '/llms.txt'])('the body of %s has no end', async endless => {
    const outcome = await run((path, _, response) => {
      if (path !== endless) return path === '/' ? home('') : undefined
      response.writeHead(200, { 'content-type': path === '/' ? 'text/html' : 'text/plain' })
      return drip(response, Buffer.alloc(65_536, 'a'), 1)
    })
    // Lists may be large, so this one may use up what the whole export may fetch.
    if (endless === '/' || outcome.error) {
      expect(outcome.error?.code).toBe('too_large')
      expect(outcome.error?.message).toMatch(/larger than the limit of (1\.9|29) MB.*; raise the limit/)
    } else expect(outcome.exported?.pageCount).toBe(1)
  })

  test('many files that are too much together', async () => {
    const images = Array.from({ length: 60 }, (_, index) => `<img src="/${index}.png">`).join('')
    const { error } = await run(path =>
      path === '/' ? home(images) : { body: Buffer.alloc(1_000_000, path), headers: { 'content-type': 'image/png' } },
    )
    expect(error?.message).toBe(
      'The site is larger than the limit of 29 MB for one export; raise the limit or export fewer paths.',
    )
  })

  test('more files than the limit', async () => {
    const images = Array.from({ length: 500 }, (_, index) => `<img src="/${index}.png">`).join('')
    const { error } = await run(path =>
      path === '/' ? home(images) : { body: path, headers: { 'content-type': 'image/png' } },
    )
    expect(error?.message).toMatch(/^The site needs more than 200 files; raise the limit/)
  })

  const zeros = Buffer.alloc(200 * 1024 * 1024)
  const bombs: [string, string, () => Buffer][] = [
    ['gzip', 'gzip', () => gzipSync(zeros)],
    ['brotli', 'br', () => brotliCompressSync(zeros, { params: { 0: 1, 1: 4 } })],
    ['zstd', 'zstd', () => zstdCompressSync(zeros)],
    ['gzip in gzip', 'gzip, gzip', () => gzipSync(gzipSync(zeros))],
    ['twenty layers', Array(20).fill('gzip').join(','), () => gzipSync(zeros)],
    ['a lie about the coding', 'br', () => gzipSync('x')],
  ]
  test.each(bombs)('a compression bomb: %s', async (_, encoding, make) => {
    const body = make()
    const memory = process.memoryUsage().rss
    const answer = (type: string) => ({ body, headers: { 'content-encoding': encoding, 'content-type': type } })
    const outcome = await run(path =>
      path === '/'
        ? home('<a href="/x">x</a><img src="/y.png">')
        : path === '/x'
          ? answer('text/html')
          : path === '/y.png'
            ? answer('image/png')
            : undefined,
    )
    expect(outcome.exported?.pageCount).toBe(1)
    expect(reasonsOf(outcome)).toMatch(/limit of 1\.9 MB|compressed/)
    expect(process.memoryUsage().rss - memory).toBeLessThan(150 * 1024 ** 2)
  })

  test('a sitemap that is a bomb in a bomb', async () => {
    const bomb = gzipSync(gzipSync(zeros))
    const { exported } = await run(path =>
      path === '/'
        ? home('')
        : path === '/sitemap.xml'
          ? { body: bomb, headers: { 'content-encoding': 'gzip', 'content-type': 'application/gzip' } }
          : undefined,
    )
    expect(exported?.pageCount).toBe(1)
  })

  test('headers without measure', async () => {
    const outcome = await run(
      only(
        '/x',
        {
          body: 'x',
          headers: Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x-${index}`, 'y'.repeat(100)])),
        },
        `<a href="/x">x</a>${Array.from({ length: 12 }, (_, index) => `<a href="/p${index}">p</a>`).join('')}`,
      ),
    )
    const reasons = outcome.exported?.report.skipped.map(({ reason }) => reason) ?? [outcome.error?.message]
    expect(reasons).toEqual([expect.stringMatching(/HEADERS_OVERFLOW/)])
  })

  test('soft 404s without end', async () => {
    let asked = 0
    const { exported } = await run(
      path => {
        asked += 1
        const links = Array.from({ length: 200 }, (_, index) => `<a href="/lost-${index}-${path.length}">x</a>`).join(
          '',
        )
        return path === '/' ? home(links) : `<title>Oops</title><p>Sorry, nobody has ever seen the page here.${links}`
      },
      { limits: { links: 100 } },
    )
    expect(exported?.pageCount).toBe(1)
    expect(asked).toBeLessThan(130)
    expect(exported?.report.notes).toContainEqual(expect.stringMatching(/past the limit of 100 links; raise the limit/))
  })
})

describe('too slow', () => {
  test('bytes one by one, in a page, a file and an error', { timeout: 20_000 }, async () => {
    const outcome = await run((path, _, response) => {
      if (path === '/')
        return home(
          '<a href="/x">x</a><a href="/gone">z</a><img src="/y.png">' +
            Array.from({ length: 30 }, (_, index) => `<a href="/p${index}">p</a>`).join(''),
        )
      if (/^\/p\d/.test(path)) return page(path)
      response.writeHead(path === '/gone' ? 404 : 200, {
        'content-type': path === '/y.png' ? 'image/png' : 'text/html',
      })
      return drip(response, 'x', 100)
    })
    expect(outcome.exported?.pageCount).toBe(31)
  })

  test('no answer to anything', async () => {
    const { error } = await run(() => null)
    expect(['unreachable', 'timeout']).toContain(error?.code)
    expect(error?.message).toMatch(/did not answer within the limit of 4 seconds|limit of 25 seconds/)
  })

  test('every page takes long: the job ends at its limit', { timeout: 8000 }, async () => {
    const { error } = await run(
      (path, _, response) => {
        setTimeout(
          () => response.writeHead(200, { 'content-type': 'text/html' }).end(page(path, `<a href="${path}x">x</a>`)),
          700,
        )
        return null
      },
      { limits: { jobTimeoutMs: 5000 } },
    )
    expect(error?.message).toMatch(/^The export took longer than its limit of 5 seconds/)
  })

  test('busy for ever, and asks for a year of patience', async () => {
    const { error } = await run(() => ({ status: 503, headers: { 'retry-after': '31536000' } }), {
      limits: { jobTimeoutMs: 20_000 },
    })
    expect(error?.message).toMatch(/did not answer within the limit of 4 seconds|status 503|limit of 20 seconds/)
  })
})

describe('in circles', () => {
  test.each<[string, HostileSite]>([
    [
      'a redirect to itself',
      path =>
        path === '/x'
          ? { status: 302, headers: { location: '/x' } }
          : path === '/'
            ? home('<a href="/x">x</a>')
            : undefined,
    ],
    [
      'two that send to each other',
      path =>
        path === '/x'
          ? { status: 301, headers: { location: '/y' } }
          : path === '/y'
            ? { status: 307, headers: { location: '/x' } }
            : path === '/'
              ? home('<a href="/x">x</a>')
              : undefined,
    ],
    [
      'a chain without end',
      path =>
        path === '/'
          ? home('<a href="/r0">x</a>')
          : /^\/r\d+$/.test(path)
            ? { status: 302, headers: { location: `/r${Number(path.slice(2)) + 1}` } }
            : undefined,
    ],
    [
      'a login that wants its cookie',
      path =>
        path === '/'
          ? home('<a href="/private">x</a>')
          : path === '/private'
            ? { status: 302, headers: { location: '/login?next=/private' } }
            : path.startsWith('/login')
              ? { status: 302, headers: { location: '/private', 'set-cookie': 'session=1' } }
              : undefined,
    ],
    [
      'a location that is no address',
      path =>
        path === '/'
          ? home('<a href="/x">x</a>')
          : path === '/x'
            ? { status: 302, headers: { location: 'http://[' } }
            : undefined,
    ],
  ])('%s', async (_, site) => {
    const { exported } = await run(site)
    expect(exported?.pageCount).toBe(1)
    expect(exported?.report.deadLinks.length).toBeGreaterThan(0)
  })

  test('the first page leads in a circle', async () => {
    const { error } = await run(() => ({ status: 302, headers: { location: '/' } }))
    expect(error?.message).toMatch(/more than 10 redirects/)
  })

  test('sitemaps that name each other, and more of them', async () => {
    let asked = 0
    const { exported } = await run(path => {
      if (path === '/') return home('')
      if (!path.includes('sitemap')) return undefined
      asked += 1
      const more = Array.from({ length: 100 }, () => `<sitemap><loc>/sitemap-${random()}.xml</loc></sitemap>`).join('')
      return {
        body: `<sitemapindex><sitemap><loc>/sitemap.xml</loc></sitemap>${more}</sitemapindex>`,
        headers: { 'content-type': 'application/xml' },
      }
    })
    expect(exported?.pageCount).toBe(1)
    expect(asked).toBeLessThanOrEqual(200)
  })
})

describe('lists and texts made to hang whoever reads them', () => {
  const list =
    (path: string, body: string): HostileSite =>
    asked =>
      asked === '/'
        ? home('<a href="/x">x</a>')
        : asked === '/x'
          ? page('x')
          : asked === path
            ? { body, headers: { 'content-type': 'text/plain' } }
            : undefined
  const many = (text: string, count: number) => text.repeat(count)
  test.each<[string, HostileSite]>([
    ['robots.txt of 10 MB', list('/robots.txt', `User-agent: *\n${many('Disallow: /no*no*no*no$\n', 400_000)}`)],
    ['robots.txt with one endless rule', list('/robots.txt', `User-agent: *\nDisallow: /${many('*a', 2_000_000)}`)],
    ['sitemap of 10 MB of opened tags', list('/sitemap.xml', `<urlset>${many('<url><loc>', 1_000_000)}`)],
    ['sitemap of spaces', list('/sitemap.xml', `<urlset><url><loc>${many(' ', 9_000_000)}`)],
    ['llms.txt of opened brackets', list('/llms.txt', many('](', 4_000_000))],
  ])('%s', { timeout: 15_000 }, async (_, site) => {
    const outcome = await run(site, { obeyRobots: true, limits: { totalBytes: 100_000_000 } })
    expect(outcome.exported?.pageCount).toBe(2)
  })

  test('a sitemap with 300,000 pages', { timeout: 70_000 }, async () => {
    const body = `<urlset>${Array.from({ length: 300_000 }, (_, index) => `<url><loc>/s${index}</loc></url>`).join('')}</urlset>`
    const origin: { href?: string } = {}
    const { exported } = await run(
      (path, request) => {
        origin.href = `http://${request.headers.host}`
        if (path === '/sitemap.xml')
          return {
            body: body.replaceAll('<loc>', `<loc>${origin.href}`),
            headers: { 'content-type': 'application/xml' },
          }
        return page(path)
      },
      { limits: { totalBytes: 300_000_000, jobTimeoutMs: 60_000 } },
    )
    expect(exported?.pageCount).toBe(limits.pages)
  })

  test.each<[string, string]>([
    ['100,000 levels', `${many('<div><b>', 50_000)}deep${many('</b></div>', 50_000)}`],
    ['tags that never end', many('<a href="', 100_000)],
    ['comments without doctype', `${many('<!-- -->', 50_000)}text`],
    [
      'a tag with 150,000 attributes',
      `<a ${Array.from({ length: 150_000 }, (_, index) => `on${index}=x`).join(' ')} href="/x">x</a>`,
    ],
    ['a refresh of spaces', `<meta http-equiv="refresh" content="0;url='${many(' ', 400_000)}x">`],
    ['a srcset of spaces', `<img srcset="/a.png ${many(' ', 400_000)}x">`],
    ['a style of brackets', `<style>a { background: ${many('url(', 200_000)} ${many('{(', 200_000)}</style>`],
    [
      'quotes, entities, NUL and bytes of no encoding',
      `<a href='/x"\0&#0;&#xD800;&amp'>\u0000\ufffe${many('&#', 1000)}<![CDATA[<svg><style><!--</style><p><script>`,
    ],
    ['frames of itself', many('<iframe src="/x"></iframe>', 20_000)],
    ['a script of quotes', `<script>${many('"a/', 300_000)}</script>`],
  ])('broken HTML: %s', { timeout: 20_000 }, async (_, markup) => {
    const outcome = await run(asked =>
      asked === '/' ? home('<a href="/x">x</a>') : asked === '/x' ? markup : undefined,
    )
    expect(outcome.exported?.pageCount).toBe(2)
  })

  test.each(['utf-16le', 'utf-7', 'x-user-defined', 'replacement', 'iso-2022-jp', '"', 'no-such-thing'])(
    'a page that lies about its encoding: %s',
    async charset => {
      const body = Buffer.from([
        0xff,
        0xfe,
        0x00,
        0xd8,
        ...Buffer.from(page('x', '<a href="/\u00e9">x</a>')),
        0xc3,
        0x28,
        0x1b,
        0x24,
      ])
      const { exported } = await run(only('/x', { body, headers: { 'content-type': `text/html; charset=${charset}` } }))
      expect(exported?.pageCount).toBeGreaterThan(0)
    },
  )
})

test.each(['zip', 'tar.gz'] as const)('names that no folder can hold, or that lead out of it: %s', async format => {
  const names = [
    '%2e%2e/%2e%2e/etc/passwd', '..%2f..%2f..%2fetc%2fpasswd', '..%5c..%5cwindows', '%2e%2e%5c%2e%2e%5cx', '....//....//x', '%252e%252e%252fx', 'a%00b', '%00', 'a%0ab',
    'a%5Cb', 'C%3A%5Cx', 'C:', '%2Fetc%2Fpasswd', '%2F%2Fhost%2Fshare', 'x'.repeat(300), '%E2%82%AC'.repeat(200), `${'d'.repeat(250)}/${'e'.repeat(250)}`,
    'CON', 'con.html', 'AUX', 'nul.txt', 'COM1', 'lpt9.pdf', 'com%C2%B9', 'Case', 'case', 'CASE', '%C3%A9', 'e%CC%81', 'trailing.', 'trailing%20', 'trailing%2E%20.', '~', '-rf', '*', '%3Cb%3E',
    '%ED%A0%80', '%FF%FE', '%E2%80%AEcod.exe', '.htaccess', '.git/config', 'index.html/x', 'index.html%2F', 'export-report.json', 'EXPORT-REPORT.JSON', '_external/x', '_EXTERNAL/y', 'a', 'a/b', 'A/b', 'a.html', 'a%2Fb', '%61', 'web.config', 'desktop.ini',
  ] // biome-ignore format: a table
  const { exported } = await run(
    path =>
      path === '/'
        ? home(names.map(name => `<a href="/${name}">x</a><img src="/${name}.png">`).join(''))
        : path.endsWith('.png')
          ? { body: path, headers: { 'content-type': 'image/png' } }
          : page(path),
    { format, limits: { pages: 200 } },
  )
  expect(exported?.pageCount).toBeGreaterThan(45)
  expect(exported?.report.unresolved).toEqual([])
})

describe.skipIf(!findBrowser())('in a browser', { timeout: 50_000 }, () => {
  /** A page whose source does not hold the word that a browser shows thirty times. */
  const app = (script: string, word = 'stay') =>
    `<!doctype html><body><div id="app"></div><script>document.getElementById('app').textContent = ("${[...word].reverse().join('')}".split("").reverse().join("") + " ").repeat(30); ${script}</script></body>`
  const given = { ...limits, pageTimeoutMs: 3000, jobTimeoutMs: 40_000 }
  /** Pages that may take all of their time, without one moment to read them in. */
  const neverQuiet = new Set([
    'downloads',
    'windows',
    'a page that loads itself again',
    'a page that goes to another for ever',
    'a thousand requests',
  ])
  test.each<[string, string]>([
    [
      'dialogs without end',
      'for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) } setInterval(() => { alert(1); confirm(2) }, 1)',
    ],
    [
      'dialogs of a clean frame',
      'const f = document.body.appendChild(document.createElement("iframe")); setInterval(() => f.contentWindow.alert(1), 1)',
    ],
    [
      'a page that does not want to be left',
      'onbeforeunload = event => { event.preventDefault(); return "stay" }; addEventListener("pagehide", () => { for (const end = Date.now() + 500; Date.now() < end;); })',
    ],
    [
      'downloads',
      'setInterval(() => { const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["x"])); a.download = "x.bin"; document.body.append(a); a.click() }, 20); location.href = "/download"',
    ],
    [
      'windows',
      'for (let i = 0; i < 100; i++) { open("/"); const a = document.createElement("a"); a.href = "/"; a.target = "_blank"; document.body.append(a); a.click() }',
    ],
    [
      'a service worker that makes more of itself',
      'for (let i = 0; i < 30; i++) navigator.serviceWorker.register("/worker.js?" + i, { scope: "/" + i })',
    ],
    ['workers without end', 'setInterval(() => new Worker(URL.createObjectURL(new Blob(["for (;;);"]))), 50)'],
    ['history without end', 'setInterval(() => history.pushState({}, "", "/" + Math.random()), 1)'],
    ['a page that loads itself again', 'setTimeout(() => location.reload(), 50)'],
    ['a page that goes to another for ever', 'location.href = "/next/" + Math.random()'],
    ['a thousand requests', 'for (let i = 0; i < 1000; i++) fetch("/data/" + i).catch(() => {})'],
    ['a debugger', 'setInterval(() => { debugger }, 1)'],
    [
      'fullscreen, print and permission',
      'setInterval(() => { document.documentElement.requestFullscreen().catch(() => {}); print(); Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => {}) }, 5)',
    ],
    [
      'frames of itself',
      'for (let i = 0; i < 10; i++) { const f = document.createElement("iframe"); f.src = location.href; document.body.append(f) }',
    ],
  ])('%s', async (title, script) => {
    const outcome = await run(
      path => {
        if (path.startsWith('/worker.js'))
          return {
            body: 'self.oninstall = () => self.skipWaiting(); self.onactivate = () => { for (let i = 0; i < 9; i++) registration.update(); clients.claim() }; self.onfetch = event => event.respondWith(new Response("hacked"))',
            headers: { 'content-type': 'text/javascript', 'service-worker-allowed': '/' },
          }
        if (path === '/download')
          return {
            body: 'x',
            headers: {
              'content-disposition': 'attachment; filename=../../x',
              'content-type': 'application/octet-stream',
            },
          }
        if (path.startsWith('/data/')) return { body: 'x'.repeat(100_000), headers: { 'content-type': 'text/plain' } }
        if (path === '/' || path.startsWith('/next/')) return app(script)
        return undefined
      },
      { limits: { ...given, totalBytes: 200_000_000 } },
    )
    // The page is as a browser showed it, or, where that leads nowhere, the report says that none could.
    const home = outcome.exported?.entries.find(({ name }) => name === 'index.html')?.content.toString()
    expect(home, outcome.error?.message).toBeDefined()
    const note = '/ may be incomplete: its scripts build it, and no browser could show it.'
    if (!neverQuiet.has(title) || !outcome.exported?.report.notes.includes(note))
      expect(home).toContain('stay stay stay')
    expect(home).not.toContain('hacked')
    expect(outcome.exported?.report.unresolved).toEqual([])
    const names = outcome.exported?.names ?? []
    expect(names.filter(name => /x\.bin|worker\.js\?|\.\./.test(name))).toEqual([])
  })

  test.each<[string, string]>([
    ['a script without end', 'for (;;);'],
    ['a promise without end', '(function next() { Promise.resolve().then(next) })()'],
    ['a memory hog', 'const kept = []; for (;;) kept.push(new Array(1e6).fill(Math.random()))'],
    [
      'a hog of strings',
      'let text = "x"; for (const kept = [];;) { kept.push(text = text.length < 1e8 ? text + text : "x"); text.charCodeAt(0) }',
    ],
    ['a document without end', 'for (;;) document.body.append(document.createElement("div"))'],
    ['an address that crashes a browser', 'for (let i = 0; i < 3; i++) location.href = "chrome://crash"; for (;;);'],
  ])('%s costs its own page only', async (_, script) => {
    const { exported } = await run(
      path =>
        path === '/'
          ? home('<a href="/bad">x</a><a href="/good">y</a>')
          : path === '/bad'
            ? app(script)
            : path === '/good'
              ? app('', 'good')
              : undefined,
      { limits: given },
    )
    const good = exported?.entries.find(({ name }) => name === 'good/index.html')?.content.toString()
    expect(good).toContain('good good good')
    expect(exported?.report.notes).toContain(
      '/bad may be incomplete: its scripts build it, and no browser could show it.',
    )
  })

  test.skipIf(process.platform !== 'linux')(
    'a crash of the tab costs its own page only, and no time',
    { timeout: 12_000 },
    async () => {
      const crashed = Promise.withResolvers<void>()
      let crashes = 0
      const { exported } = await run(
        (path, _, response) => {
          if (path === '/') return home('<a href="/bad">x</a><a href="/good">y</a>')
          if (path === '/bad')
            return app(
              'const request = new XMLHttpRequest(); request.open("GET", "/crash?" + performance.timeOrigin, false); request.send()',
            )
          if (path.startsWith('/crash')) {
            for (const pid of rendererProcesses()) process.kill(pid, 'SIGKILL')
            crashes += 1
            if (crashes === 2) crashed.resolve()
            return 'too late'
          }
          if (path !== '/good') return undefined
          // Shown by the browser that lost its tabs.
          void crashed.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(app('', 'good')))
          return null
        },
        { limits: { ...given, pageTimeoutMs: 15_000 } },
      )
      expect(crashes).toBeGreaterThanOrEqual(2)
      const good = exported?.entries.find(({ name }) => name === 'good/index.html')?.content.toString()
      expect(good).toContain('good good good')
      expect(exported?.report.notes).toEqual([
        '/bad may be incomplete: its scripts build it, and no browser could show it.',
      ])
    },
  )
})

/** The processes of the browser's tabs. */
function rendererProcesses(): number[] {
  return listTree(process.pid).filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')
    } catch {
      return false
    }
  })
}
