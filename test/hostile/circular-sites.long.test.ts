import { describe, expect, test, vi } from 'vitest'
import { createRandom } from '../support/random.ts'
import { type HostileSite, home, run, testTimeoutMs } from './hostile-site.ts'

const random = createRandom('endless sitemaps')

vi.setConfig({ testTimeout: testTimeoutMs })

describe('circular sites', () => {
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
      'two redirects to each other',
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
      'an endless chain of redirects',
      path =>
        path === '/'
          ? home('<a href="/r0">x</a>')
          : /^\/r\d+$/.test(path)
            ? { status: 302, headers: { location: `/r${Number(path.slice(2)) + 1}` } }
            : undefined,
    ],
    [
      'a login that needs its cookie',
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
      'a Location that is not a valid URL',
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

  test('the first page redirects to itself', async () => {
    const { error } = await run(() => ({ status: 302, headers: { location: '/' } }))
    expect(error?.message).toMatch(/more than 20 redirects/)
  })

  test('sitemaps that list themselves and ever more sitemaps', async () => {
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
