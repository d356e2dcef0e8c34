import { describe, expect, test } from 'vitest'
import { toPage } from '../../server/analytics/page.ts'
import fc from '../support/fast-check.ts'

test.each([
  ['/', '/'],
  ['/guide', '/guide'],
  ['/guide/', '/guide'],
  ['/guide//', '/guide'],
  ['/guide.html', '/guide'],
  ['/guide.HTML', '/guide'],
  ['/guide/index.html', '/guide'],
  ['/guide/index', '/guide'],
  ['/guide/index/', '/guide'],
  ['/index.html', '/'],
  ['/index', '/'],
  ['//', '/'],
  ['/guide?a=1', '/guide'],
  ['/guide/?a=/b.css', '/guide'],
  ['/guide#top', '/guide'],
  ['/?a', '/'],
  ['http://docs.example.com/guide?x', '/guide'],
  ['HTTPS://docs.example.com', '/'],
  ['https://docs.example.com?x', '/'],
  ['/reindex', '/reindex'],
  ['/guide/my-index.html', '/guide/my-index'],
  ['/v1.2', '/v1.2'],
  ['/3.11', '/3.11'],
  ['/3.11/library.html', '/3.11/library'],
  ['/guides/node.js/', '/guides/node.js'],
  ['/feed/reader', '/feed/reader'],
  ['/api/feed', '/api/feed'],
  ['/%7Euser', '/~user'],
  ['/caf%c3%a9', '/caf%C3%A9'],
  ['/caf\xc3\xa9', '/caf%C3%A9'],
  ['/a b', '/a%20b'],
  ['/a%2fb', '/a%2Fb'],
  ['/100%', '/100%'],
  ['/%69ndex%2Ehtml', '/'],
  [`/${'a'.repeat(2047)}`, `/${'a'.repeat(2047)}`],
])('%j is the page %j', (given, want) => {
  expect(toPage(given)).toEqual({ path: want, isMarkdown: false })
})

test.each([
  ['/guide.md', '/guide'],
  ['/index.md', '/'],
  ['/guide/index.md', '/guide'],
  ['/guide/.md', '/guide'],
  ['/README.MD?plain=1', '/README'],
  ['/v1.2.md', '/v1.2'],
])('%j is a Markdown view of %j', (given, want) => {
  expect(toPage(given)).toEqual({ path: want, isMarkdown: true })
})

// The names that the routers of the frameworks use in production.
test.each([
  '/guide.rsc',
  '/guide.segments/_tree.segment.rsc',
  '/_next/data/9f8e/guide.json',
  '/_root.data',
  '/guide.data?_routes=root',
  '/__manifest?paths=%2Fguide',
  '/guide/__data.json?x-sveltekit-invalidated=01',
  '/guide/_payload.json?9f8e',
  '/page-data/guide/page-data.json',
  '/guide/q-data.json',
  '/guide/index.pageContext.json',
])('%j is data of a router', target => {
  expect(toPage(target)).toEqual({ refusal: 'router-data' })
})

test.each([
  '/.env',
  '/.git/config',
  '/docs/.DS_Store',
  '/wp-login.php',
  '/blog/wp-admin/setup-config.php',
  '/xmlrpc.php',
  '/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php',
  '/backup.sql',
  '/prod.env',
  '/actuator/health',
])('%j is a target of scanners', target => {
  expect(toPage(target)).toEqual({ refusal: 'scan' })
})

test.each(['/mcp', '/sse/', '/healthz', '/api/health', '/api/mcp'])('%j is a service', target => {
  expect(toPage(target)).toEqual({ refusal: 'service' })
})

test.each([
  '/mcp/setup',
  '/guides/mcp',
  '/guides/health',
  '/api/search',
  '/api/users',
  '/manual/en/function.strlen.php',
  '/guides/wp-plugin',
  '/guides/actuator',
  '/data',
  '/guide?rsc=1',
])('%j is a page all the same', target => {
  expect(toPage(target)).toMatchObject({ path: target.split('?')[0] })
})

test.each([
  ['/app.js', 'asset'],
  ['/app.4f2a.CSS?v=1', 'asset'],
  ['/img/logo.svg', 'asset'],
  ['/manual.pdf', 'asset'],
  ['/sitemap.xml.gz', 'asset'],
  ['/_next/image?url=%2Flogo.png', 'asset'],
  ['/cdn-cgi/rum', 'asset'],
  ['/robots.txt', 'machine-file'],
  ['/notllms.txt', 'machine-file'],
  ['/llms.txt/more.txt', 'machine-file'],
  ['/sitemap.xml', 'machine-file'],
  ['/blog/rss.xml', 'machine-file'],
  ['/atom', 'machine-file'],
  ['/feed/', 'machine-file'],
  ['/openapi.json', 'machine-file'],
  ['/openapi.yaml', 'machine-file'],
  ['/.well-known/security', 'machine-file'],
  [`/${'a'.repeat(2048)}`, 'bad-path'],
  ['/a\0b', 'bad-path'],
  ['/a%00b', 'bad-path'],
  ['/a\x1b[31m', 'bad-path'],
  ['/a\x7f', 'bad-path'],
  ['', 'bad-path'],
  ['guide', 'bad-path'],
  ['*', 'bad-path'],
  ['ftp://docs.example.com/', 'bad-path'],
])('%j is refused as %s', (given, want) => {
  expect(toPage(given)).toMatchObject({ refusal: want })
})

test.each([
  ['/llms.txt', 'llms.txt'],
  ['/docs/llms-full.txt?x=1', 'llms-full.txt'],
  ['/.well-known/llms.txt', 'llms.txt'],
  ['/llms-small.txt', 'llms-*.txt'],
])('%j is a file for AI, and not a page', (given, llmsFile) => {
  expect(toPage(given)).toEqual({ refusal: 'machine-file', llmsFile })
})

describe('any target', () => {
  const bytes = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)) })

  test('gives a printable path from the root, or a refusal', () => {
    fc.assert(
      fc.property(bytes, target => {
        const page = toPage(`/${target}`)
        if (page.refusal === undefined) expect(page.path).toMatch(/^\/([!-~]*[!-.0-~])?$/)
      }),
      { numRuns: 2000 },
    )
  })

  test('is the same page in every spelling', () => {
    const segment = fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}[a-z]$/).filter(name => name !== 'index')
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), segments => {
        const path = `/${segments.join('/')}`
        const plain = toPage(path)
        fc.pre(plain.refusal === undefined && plain.path === path)
        for (const spelling of ['/', '.html', '/index.html', '/index', '?q', '#f', '.md', '/index.md']) {
          expect(toPage(path + spelling)).toMatchObject({ path })
        }
      }),
    )
  })
})
