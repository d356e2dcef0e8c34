import { expect, test } from 'vitest'
import { defaultLimits, type ExportLimits } from '../../../server/export/model/limits.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { page } from '../fake-site.ts'
import {
  endlessSoft404,
  exportLimited,
  failingFirst,
  type LimitedSite,
  numbered,
  numbers,
  type Outcome,
  png,
  withFailures,
  withImages,
  withLinks,
} from './limited-export.ts'

interface Row {
  what: string
  limits: Partial<ExportLimits>
  site: LimitedSite
  check(outcome: Outcome): void
}

const rows: Record<keyof ExportLimits, Row[]> = {
  pages: [
    {
      what: 'past the limit they are left out, and the report says how many',
      limits: { pages: 5 },
      site: path => (path === '/' ? page('home', withLinks(20)) : numbered(path)),
      check({ exported }) {
        expect(exported?.pageCount).toBe(5)
        expect(exported?.report.skipped).toHaveLength(16)
        expect(exported?.report.skipped[0]).toEqual({ url: '/p12', reason: 'past the limit of 5 pages' })
        expect(exported?.report.notes).toContainEqual(
          '16 links were not followed, since they are past the limit of 5 pages; raise the limit to include them.',
        )
      },
    },
  ],
  links: [
    {
      what: 'a site of soft 404s without end is not asked for ever',
      limits: { links: 30, pages: 20 },
      site: endlessSoft404,
      check({ exported, requests }) {
        expect(exported?.pageCount).toBe(1)
        expect(requests.filter(path => /^\/p\d/.test(path))).toHaveLength(29)
        expect(exported?.report.skipped).toContainEqual({ url: '/p99', reason: 'past the limit of 30 links' })
        expect(exported?.report.notes).toContainEqual(
          '371 links were not followed, since they are past the limit of 30 links; raise the limit to include them.',
        )
      },
    },
    {
      what: 'links to nothing and redirects count, too',
      limits: { links: 11 },
      site: path =>
        path === '/' ? page('home', withLinks(40)) : /[02468]$/.test(path) ? { status: 302, location: '/' } : undefined,
      check({ exported, requests }) {
        expect(requests.filter(path => /^\/p\d/.test(path))).toHaveLength(10)
        expect(exported?.report.skipped).toHaveLength(30)
      },
    },
    {
      what: 'of more links than the memory limit allows some are forgotten, and the report says so, the same way each time',
      limits: { links: 10, pages: 10 },
      site: path => (path === '/' ? page('home', withLinks(5000)) : numbered(path)),
      check({ exported }) {
        expect(exported?.pageCount).toBe(10)
        expect(exported?.report.skipped.length).toBe(1000)
        expect(exported?.report.notes).toContainEqual(
          'The site has more links than the memory limit allows: some were neither followed nor listed.',
        )
      },
    },
  ],
  files: [
    {
      what: 'too many end the export',
      limits: { files: 10 },
      site: path => (path === '/' ? page('home', withImages(30)) : png(10)),
      check({ error }) {
        expect([error?.code, error?.message]).toEqual([
          'too_large',
          'The site needs more than 10 files; raise the limit or export fewer paths.',
        ])
      },
    },
  ],
  failedPercent: [
    {
      what: 'when more fail, the export does, and names the setting and what fails most',
      limits: { failedPercent: 30 },
      site: withFailures(4),
      check({ error }) {
        expect([error?.code, error?.message]).toEqual([
          'unreachable',
          '4 of 11 pages could not be fetched. The limit is 30 % (--max-failed-percent). Failures: 3 times status 500 (/p0, /p1, /p2), 1 time status 508 (/p3). Start again when docs.example.com answers, or raise the limit.',
        ])
      },
    },
    {
      what: 'as many as that are left out, and the report names them',
      limits: { failedPercent: 37 },
      site: withFailures(4),
      check({ exported }) {
        expect([exported?.pageCount, exported?.report.skipped[3]]).toEqual([7, { url: '/p3', reason: 'status 508' }])
      },
    },
    {
      what: '0 lets none fail',
      limits: { failedPercent: 0 },
      site: withFailures(1),
      check({ error }) {
        expect(error?.message).toMatch(
          /^1 of 11 pages could not be fetched\. The limit is 0 % .*: 1 time status 508 \(\/p0\)/,
        )
      },
    },
    {
      what: '100 lets all of them fail but one',
      limits: { failedPercent: 100 },
      site: withFailures(10),
      check({ exported }) {
        expect([exported?.pageCount, exported?.report.skipped.length]).toEqual([1, 10])
      },
    },
  ],
  totalBytes: [
    {
      what: 'too many end the export',
      limits: { totalBytes: 2 * 1024 ** 2 },
      site: path => (path === '/' ? page('home', withImages(30)) : png(200_000)),
      check({ error }) {
        expect([error?.code, error?.message]).toEqual([
          'too_large',
          'The site is larger than the limit of 2 MB for one export; raise the limit or export fewer paths.',
        ])
      },
    },
  ],
  fileBytes: [
    {
      what: 'a larger file is left out, and the report names it',
      limits: { fileBytes: 1024 ** 2 },
      site: path =>
        path === '/' ? page('home', '<img src="/big.png"><img src="/s.png">') : png(path === '/s.png' ? 9 : 2e6),
      check({ exported }) {
        expect(exported?.names).toContain('s.png')
        expect(exported?.report.missingFiles).toEqual([
          { url: '/big.png', reason: 'larger than the limit of 1 MB', count: 1, pages: ['index.html'] },
        ])
      },
    },
  ],
  pageBytes: [
    {
      what: 'a larger page is left out, and the report names it',
      limits: { pageBytes: 1024 ** 2 },
      site: path => (path === '/' ? page('home', '<a href="/big">x</a>') : page(path, 'x'.repeat(2e6))),
      check({ exported }) {
        expect(exported?.report.skipped).toEqual([{ url: '/big', reason: 'larger than the limit of 1 MB' }])
        expect(exported?.report.deadLinks).toMatchObject([{ to: '/big', reason: 'larger than the limit of 1 MB' }])
      },
    },
    {
      what: 'a first page that is larger ends the export with the limit as the remedy',
      limits: { pageBytes: 1024 ** 2 },
      site: path => (path === '/' ? page(path, 'x'.repeat(2e6)) : undefined),
      check({ error }) {
        expect([error?.code, error?.message]).toEqual([
          'too_large',
          'The page / of docs.example.com is larger than the limit of 1 MB; raise the limit.',
        ])
      },
    },
  ],
  redirects: [
    {
      what: 'a longer chain is a dead link, and the report says why',
      limits: { redirects: 3 },
      site: path =>
        path === '/'
          ? page('home', '<a href="/r0">x</a>')
          : /^\/r\d+$/.test(path)
            ? { status: 302, location: `/r${Number(path.slice(2)) + 1}` }
            : undefined,
      check({ exported, requests }) {
        expect(exported?.report.deadLinks).toMatchObject([{ to: '/r0', reason: 'more than 3 redirects' }])
        expect(requests.filter(path => path.startsWith('/r') && path !== '/robots.txt')).toHaveLength(4)
      },
    },
  ],
  pageTimeoutMs: [
    {
      what: 'a page that takes longer is left out, and the report says why',
      limits: { pageTimeoutMs: 1000 },
      site: path =>
        path === '/' ? page('home', `${withLinks(20)}<a href="/slow">x</a>`) : path === '/slow' ? null : numbered(path),
      check({ exported }) {
        expect(exported?.report.skipped).toEqual([
          { url: '/slow', reason: expect.stringMatching(/did not answer within the limit of 1 seconds/) },
        ])
      },
    },
  ],
  retries: [
    {
      what: 'a page that works at the last retry is in the bundle',
      limits: { retries: 2 },
      site: failingFirst(2),
      check({ exported, requests }) {
        expect(exported?.pageCount).toBe(2)
        expect(requests.filter(path => path === '/a')).toHaveLength(3)
      },
    },
    {
      what: 'a page that needs more of them is left out, and the report names it',
      limits: { retries: 1, failedPercent: 50 },
      site: failingFirst(2),
      check({ exported }) {
        expect(exported?.report.skipped).toEqual([{ url: '/a', reason: 'status 500' }])
      },
    },
  ],
  pageRequests: [
    {
      what: 'a page that asks for more in the browser gets no answer to the rest, and a note',
      limits: { pageRequests: 20 },
      site: path =>
        path === '/'
          ? `<div id="app"></div><script>document.getElementById('app').innerHTML = '<p>' + 'words '.repeat(60); for (let i = 0; i < 200; i++) fetch('/data/' + i).catch(() => {})</script>`
          : path.startsWith('/data/')
            ? { body: '{}', type: 'application/json' }
            : undefined,
      check({ exported, requests }) {
        expect(exported?.pageCount).toBe(1)
        expect(requests.filter(path => path.startsWith('/data/')).length).toBeLessThan(60)
        expect(exported?.report.notes).toContain('/ asks for more than 20 files in a browser; the rest was refused.')
      },
    },
  ],
  jobTimeoutMs: [
    {
      what: 'an export that takes longer ends',
      limits: { jobTimeoutMs: 2000 },
      site: path => (/^\/x*$/.test(path) ? { body: page(path, `<a href="${path}x">x</a>`), delayMs: 100 } : undefined),
      check({ error }) {
        expect([error?.code, error?.message]).toEqual([
          'timeout',
          'The export took longer than its limit of 2 seconds; raise the limit or export fewer paths.',
        ])
      },
    },
  ],
  connections: [
    {
      what: 'never more requests at once',
      limits: { connections: 2 },
      site: path => {
        const body = path === '/' ? page('home', withLinks(30)) : numbered(path)
        return typeof body === 'string' ? { body, delayMs: 20 } : undefined
      },
      check({ exported, maxOpen }) {
        expect(exported?.pageCount).toBe(31)
        expect(maxOpen).toBe(2)
      },
    },
  ],
}

test('every limit is tested', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(defaultLimits).sort())
})

const tests = Object.entries(rows).flatMap(([limit, given]) => given.map(row => [limit, row.what, row] as const))
test.for(tests)('%s: %s', { timeout: 60_000 }, async ([limit, , { limits, site, check }], context) => {
  if (limit === 'pageRequests' && !findBrowser()) context.skip('needs a Chromium')
  const outcome = await exportLimited(site, limits)
  if (outcome.error) expect(outcome.error.name, outcome.error.stack).toBe('ExportError')
  check(outcome)
})

test('the same links are left out for any order of the answers', { timeout: 60_000 }, async () => {
  let turn = 0
  const site: LimitedSite = path => {
    if (path !== '/' && !numbered(path)) return undefined
    turn += 1
    const links = numbers(300)
      .map(index => `<a href="/p${(index * 7 + path.length * 13) % 900}">x</a>`)
      .join('')
    return { body: page(path, links), delayMs: (turn * 7919) % 23 }
  }
  const limits = { links: 25, pages: 20 }
  const [one, two] = [await exportLimited(site, limits), await exportLimited(site, limits)]
  expect(one.exported?.pageCount).toBe(20)
  expect(two.exported?.sha256).toBe(one.exported?.sha256)
})
