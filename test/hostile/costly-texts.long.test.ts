import { describe, expect, test, vi } from 'vitest'
import { type HostileSite, home, limits, only, page, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

describe('lists and texts that are slow to parse', () => {
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
    ['robots.txt with one very long rule', list('/robots.txt', `User-agent: *\nDisallow: /${many('*a', 2_000_000)}`)],
    ['sitemap of 10 MB of open tags', list('/sitemap.xml', `<urlset>${many('<url><loc>', 1_000_000)}`)],
    ['sitemap of spaces', list('/sitemap.xml', `<urlset><url><loc>${many(' ', 9_000_000)}`)],
    ['llms.txt of open brackets', list('/llms.txt', many('](', 4_000_000))],
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
    ['tags without an end', many('<a href="', 100_000)],
    ['comments without doctype', `${many('<!-- -->', 50_000)}text`],
    [
      'a tag with 150,000 attributes',
      `<a ${Array.from({ length: 150_000 }, (_, index) => `on${index}=x`).join(' ')} href="/x">x</a>`,
    ],
    ['a refresh of spaces', `<meta http-equiv="refresh" content="0;url='${many(' ', 400_000)}x">`],
    ['a srcset of spaces', `<img srcset="/a.png ${many(' ', 400_000)}x">`],
    ['a style of brackets', `<style>a { background: ${many('url(', 200_000)} ${many('{(', 200_000)}</style>`],
    [
      'quotes, entities, NUL and invalid bytes',
      `<a href='/x"\0&#0;&#xD800;&amp'>\u0000\ufffe${many('&#', 1000)}<![CDATA[<svg><style><!--</style><p><script>`,
    ],
    ['frames that contain the page itself', many('<iframe src="/x"></iframe>', 20_000)],
    ['a script of quotes', `text<script>${many('"a/', 300_000)}</script>`],
  ])('broken HTML: %s', { timeout: 20_000 }, async (_, markup) => {
    const outcome = await run(asked =>
      asked === '/' ? home('<a href="/x">x</a>') : asked === '/x' ? markup : undefined,
    )
    expect(outcome.exported?.pageCount).toBe(2)
  })

  test.each(['utf-16le', 'utf-7', 'x-user-defined', 'replacement', 'iso-2022-jp', '"', 'no-such-thing'])(
    'a page with a wrong encoding: %s',
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
