import { describe, expect, test, vi } from 'vitest'
import { drip, home, limits, only, page, reasonsOf, run, skippedPages, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

describe('sites that are too large', () => {
  test('endless links', async () => {
    let next = 0
    const outcome = await run(path =>
      page(path, Array.from({ length: 10 }, () => `<a href="/p${next++}">x</a>`).join('')),
    )
    expect(outcome.exported?.pageCount).toBe(limits.pages)
    expect(skippedPages(outcome)).toBeGreaterThan(100)
  })

  test('endless folders', async () => {
    const { exported } = await run(path => page(path, '<a href="deeper/">x</a><a href="?a=1">y</a>'))
    expect(exported?.pageCount).toBeLessThan(50)
  })

  test('a page with 300,000 links', { timeout: 130_000 }, async () => {
    const links = Array.from({ length: 300_000 }, (_, index) => `<a href=/${index}>`).join('')
    const { exported } = await run(path => (path === '/' ? home(links) : page(path)), {
      limits: { pageBytes: 20_000_000, jobTimeoutMs: 120_000 },
    })
    expect(exported?.pageCount).toBe(limits.pages)
  })

  test('an endless body of a page and of a picture', async () => {
    const outcome = await run((path, _, response) => {
      if (path === '/') return home('<a href="/x">x</a><img src="/y.png">')
      if (path !== '/x' && path !== '/y.png') return undefined
      response.writeHead(200, { 'content-type': path === '/x' ? 'text/html' : 'image/png' })
      return drip(response, Buffer.alloc(65_536, 'a'), 1)
    })
    expect(outcome.exported?.pageCount).toBe(1)
    expect(reasonsOf(outcome)).toContain('larger than the limit of 1.9 MB')
  })

  test.each(['/', '/robots.txt', '/sitemap.xml', '/llms.txt'])('an endless body of %s', async endless => {
    const outcome = await run((path, _, response) => {
      if (path !== endless) return path === '/' ? home('') : undefined
      response.writeHead(200, { 'content-type': path === '/' ? 'text/html' : 'text/plain' })
      return drip(response, Buffer.alloc(65_536, 'a'), 1)
    })
    // Lists may be large, so this one may reach the limit of the whole export.
    if (endless === '/' || outcome.error) {
      expect(outcome.error?.code).toBe('too_large')
      expect(outcome.error?.message).toMatch(/larger than the limit of (1\.9|29) MB.*; raise the limit/)
    } else expect(outcome.exported?.pageCount).toBe(1)
  })

  test('many files that exceed the limit together', async () => {
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

  test('too many headers', async () => {
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
    expect(reasons).toEqual([expect.stringMatching(/the headers of the answer of \S+ are larger than 16 KB/)])
  })

  test('endless soft 404s', async () => {
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
