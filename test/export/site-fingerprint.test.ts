import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fingerprintInThread } from '../../server/workers/probe-in-thread.ts'

type Answer = { type?: string; text: string; status?: number; headers?: Record<string, string> } | 'endless'
type Pages = Record<string, Answer>

const domain = 'docs.example.com'
const page = (text: string, headers = {}): Answer => ({
  text: `<title>Docs</title><p>${text} ${'words '.repeat(60)}`,
  headers,
})
const sitemap = (date: string, paths: readonly string[]): Answer => ({
  type: 'application/xml',
  text: `<urlset>${paths.map(path => `<url><loc>https://${domain}${path}</loc><lastmod>${date}</lastmod></url>`).join('')}</urlset>`,
})

/** Serves pages, which a test may change. Notes what was requested. */
async function serve(pages: Pages) {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    const answer = pages[req.url ?? '']
    if (answer === 'endless') {
      res.setHeader('Content-Type', 'application/xml')
      const more = () => {
        while (!res.destroyed && res.write('<url>'.repeat(10_000)));
      }
      res.on('drain', more)
      return more()
    }
    const { type = 'text/html', text = '', status = answer ? 200 : 404, headers = {} } = answer ?? {}
    res.writeHead(status, { 'Content-Type': type, ...headers }).end(text)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const read = (options: { originAllowed?: boolean; signal?: AbortSignal; path?: string } = {}) => {
    const { originAllowed = true, signal = new AbortController().signal, path = '' } = options
    return fingerprintInThread({ domain, origin: new URL(path, origin), originAllowed, timeoutMs: 3000 }, signal)
  }
  return { asked, pages, read }
}

test('a date in the sitemap, an ETag and the words of a page tell that a site changed, and other bytes do not', async () => {
  const paths = ['/a', '/b']
  const site = await serve({
    '/': page('Start'),
    '/sitemap.xml': sitemap('2026-11-01', paths),
    '/a': page('A', { ETag: '"1"' }),
    '/b': page('B'),
  })
  const first = await site.read()
  expect(first).toMatch(/^[\w-]{43}$/)
  site.pages['/b'] = page('B<!-- made at 09:41 -->')
  expect(await site.read()).toBe(first)
  const changes: Pages[] = [
    { '/sitemap.xml': sitemap('2026-11-02', paths) },
    { '/a': page('A', { ETag: '"2"' }) },
    { '/b': page('Other') },
    { '/': page('New start') },
  ]
  const seen = new Set([first])
  for (const change of changes) {
    Object.assign(site.pages, change)
    seen.add(await site.read())
  }
  expect(seen.size).toBe(5)
})

test('without a sitemap, the pages that the first one links to are the sample', async () => {
  const site = await serve({ '/': page('<a href="/a">A</a> <a href="https://other.example/">B</a>'), '/a': page('A') })
  const first = await site.read()
  site.pages['/a'] = page('Changed')
  expect(await site.read()).not.toBe(first)
})

test.each<[string, (text: string) => Answer]>([
  ['/docs/sitemap_index.xml', date => sitemap(date, ['/docs/a'])],
  ['/sitemap.xml', date => sitemap(date, ['/docs/a'])],
  ['/sitemap_index.xml', date => sitemap(date, ['/docs/a'])],
  ['/docs/llms.txt', text => ({ type: 'text/plain', text: `- [A](/docs/a)\n- [${text}](/docs/a)` })],
])('the list %s is read, as an export does', async (list, write) => {
  const site = await serve({ '/docs/': page('Start'), '/docs/a': page('A'), [list]: write('2026-11-01') })
  const first = await site.read({ path: '/docs/' })
  expect(first).not.toBeNull()
  expect(site.asked).toContain('/docs/a')
  expect(await site.read({ path: '/docs/' })).toBe(first)
  site.pages[list] = write('2026-11-02')
  expect(await site.read({ path: '/docs/' })).not.toBe(first)
})

test('of many pages, the same 20 from the whole list are asked for', async () => {
  const paths = Array.from({ length: 200 }, (_, at) => `/${at}`)
  const pages = Object.fromEntries(paths.map(path => [path, page(path)]))
  const site = await serve({ ...pages, '/': page('Start'), '/sitemap.xml': sitemap('2026-11-01', paths) })
  const first = await site.read()
  const sample = site.asked.filter(path => /^\/\d+$/.test(path)).sort()
  expect(sample).toHaveLength(20)
  expect(sample).toContain('/190')
  site.asked.length = 0
  expect(await site.read()).toBe(first)
  expect(site.asked.filter(path => /^\/\d+$/.test(path)).sort()).toEqual(sample)
})

const indexOf = (count: number): Answer => ({
  type: 'application/xml',
  text: `<sitemapindex>${Array.from({ length: count }, (_, at) => `<sitemap><loc>https://${domain}/${at}.xml</loc></sitemap>`).join('')}</sitemapindex>`,
})

test.each<[string, Pages]>([
  ['has no first page', { '/a': page('A') }],
  ['fails', { '/': { status: 503, text: 'busy' } }],
  [
    'fails at one page of the sample',
    { '/': page('Start'), '/sitemap.xml': sitemap('2026-11-01', ['/a']), '/a': { status: 500, text: '' } },
  ],
  ['has an endless sitemap', { '/': page('Start'), '/sitemap.xml': 'endless' }],
  ['has more sitemaps than are read', { '/': page('Start'), '/sitemap.xml': indexOf(30) }],
  [
    'makes its pages by scripts, and has no dates',
    { '/': { text: '<title>Docs</title><div id="root"></div><script src="/app.js"></script>' } },
  ],
  ['leads to a private address', { '/': { status: 302, text: '', headers: { Location: 'http://127.0.0.1:9/' } } }],
])('of a site that %s, it cannot be known whether it changed', async (_, pages) => {
  expect(await (await serve(pages)).read()).toBeNull()
})

test('a private address is not requested unless the operator set it, and the end of the server ends the thread', async () => {
  const site = await serve({ '/': page('Start') })
  expect(await site.read({ originAllowed: false })).toBeNull()
  expect(await site.read({ signal: AbortSignal.abort() })).toBeNull()
  expect(site.asked).toEqual([])
})
