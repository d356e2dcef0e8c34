import { describe, expect, test } from 'vitest'
import { ExportError } from '../../../server/export/export-site.ts'
import { setUpBrowserlessExports } from '../browserless-exports.ts'
import { exportFakeSite, type FakeOptions, type FakeSite, page, startFakeSite } from '../fake-site.ts'

const { run } = setUpBrowserlessExports()

describe('fails with a sentence that says what to do', () => {
  test.each<[string, FakeSite, FakeOptions, string, RegExp]>([
    [
      'no page at the start',
      {},
      {},
      'not_found',
      /^docs\.example\.com returned no page at \/ \(status 404\); check its domain and origin\.$/,
    ],
    [
      'no page at the only path',
      { '/': page('x') },
      { paths: ['/p1'] },
      'not_found',
      /^This page cannot be exported: \/p1 \(status 404\)\. Correct `paths` \(--path\) and start again\.$/,
    ],
    [
      'a file at the only path',
      { '/': page('x'), '/a.json': { body: '{}', headers: { 'content-type': 'application/json' } } },
      { paths: ['/a.json'] },
      'not_found',
      /^This page cannot be exported: \/a\.json \(not an HTML page\)\. Correct/,
    ],
    [
      'a path that looks like the not-found page',
      path => (path === '/' ? page('x') : page('sorry', '<p>Nothing was found at this address of our site.</p>')),
      { paths: ['/', '/p1'] },
      'not_found',
      /^This page cannot be exported: \/p1 \(.*not-found page of the site\)\. Correct/,
    ],
    ['a server that fails', () => ({ status: 500, body: '<p>no' }), {}, 'unreachable', /status 500/],
    [
      'an address that is not public',
      { '/': page('x') },
      { originAllowed: false },
      'forbidden_address',
      /127\.0\.0\.1 is not a public address \(loopback\)\. To export the site from this address, set it as the site's origin/,
    ],
    [
      'too many bytes',
      { '/': page('x', '<img src=a.png>'), '/a.png': Buffer.alloc(300_000) },
      { limits: { totalBytes: 200_000 } },
      'too_large',
      /larger than the limit of 0 MB/,
    ],
    [
      'too many files',
      { '/': page('x', '<img src=a.png><img src=b.png><img src=c.png>') },
      { limits: { files: 2 } },
      'too_large',
      /more than 2 files/,
    ],
    [
      'scripts that build the pages, and no browser',
      { '/': '<div id="app"></div><script src="/app.js"></script>' },
      {},
      'browser_missing',
      /no Chromium was found; install one with `(apt-get install chromium-headless-shell|npx puppeteer browsers install chrome-headless-shell)`/,
    ],
    [
      'too little time',
      path => (/^\/\d*$/.test(path) ? page(path, `<a href="/${Number(path.slice(1)) + 1}">x</a>`) : undefined),
      { limits: { jobTimeoutMs: 150 } },
      'timeout',
      /longer than its limit/,
    ],
  ])('%s', async (_, site, options, code, message) => {
    const error = await run(site, options).catch(error => error)
    expect(error).toBeInstanceOf(ExportError)
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)])
  })

  test('an origin without a server', async () => {
    const server = await startFakeSite({})
    await server.close()
    await expect(exportFakeSite(server.origin)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('no server listens at 127.0.0.1'),
    })
  })

  test('an origin that fails during the export', async () => {
    const home = page('home', Array.from({ length: 12 }, (_, index) => `<a href="/p${index}">x</a>`).join(''))
    const error = await run(path => (path === '/' ? home : /^\/p\d$/.test(path) ? page(path) : { status: 502 })).catch(
      error => error,
    )
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /^2 of 13 pages could not be fetched\. The limit is 10 % \(--max-failed-percent\)\. Failures: 2 times status 502 \(\/[^ ]+, \/[^ ]+\)\. Start/,
      ),
    })
  }, 60_000)
})

test('a page or file that is larger than its limit is left out and reported', async () => {
  const { names, report } = await run(
    {
      '/': page('home', '<a href="/big">x</a><img src="/big.png">'),
      '/big': page('big', 'x'.repeat(200_000)),
      '/big.png': Buffer.alloc(200_000),
    },
    { limits: { pageBytes: 100_000, fileBytes: 100_000 } },
  )
  expect(names).toEqual(['export-report.html', 'export-report.json', 'index.html', 'quire-manifest.json'])
  expect(report.deadLinks).toMatchObject([{ to: '/big', reason: 'larger than the limit of 98 KB' }])
  expect(report.missingFiles).toMatchObject([{ url: '/big.png', reason: 'larger than the limit of 98 KB' }])
})
