import { afterEach, expect, test } from 'vitest'
import { noRemovalRules } from '../../server/products/removal-rules.ts'
import { exportFakeSite, type FakeSite, page, startFakeSite } from './fake-site.ts'
import { readEntry } from './read-archive.ts'
import type { RunningServer } from './static-server.ts'

let server: RunningServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function exportWithout(
  excludePages: string[],
  site: FakeSite,
  options: Parameters<typeof exportFakeSite>[1] = {},
) {
  server = await startFakeSite(site)
  return exportFakeSite(server.origin, {
    verify: 'static',
    removal: { ...noRemovalRules, excludePages },
    ...options,
  })
}

const links = `<a href="/internal/plan?tab=2#top">plan</a> <a href="guide">guide</a> <a href="/old">old</a>
<a href="/internal/logo.png">logo</a><img src="/internal/logo.png"><a href="/internal/x.pdf">pdf</a>
<iframe src="/internal/frame"></iframe>`
const site = {
  '/': page('home', links),
  '/guide': page('guide'),
  '/old': { status: 302, headers: { location: '/internal/moved' } },
  '/internal/plan': page('plan', '<a href="/only-from-plan">x</a>'),
  '/internal/moved': page('moved'),
  '/internal/listed': page('listed'),
  '/internal/frame': page('frame'),
  '/internal/x.pdf': { body: 'x' },
  '/internal/logo.png': { body: 'png', headers: { 'content-type': 'image/png' } },
  '/sitemap.xml': `<urlset><url><loc>http://docs.example.com/internal/listed</loc></url></urlset>`,
}

test('excluded pages are neither fetched nor packed, and links to them lead to the public site', async () => {
  const exported = await exportWithout(['/internal/*'], site)
  expect(exported.names).toEqual([
    'export-report.html',
    'export-report.json',
    'guide.html',
    'guide/index.htm',
    'index.html',
    'internal/logo.png',
    'quire-manifest.json',
  ])
  // A picture is a file of the page that shows it, so the pattern does not exclude it.
  expect(server?.requests.filter(path => path.startsWith('/internal') || path.startsWith('/only'))).toEqual([
    '/internal/logo.png',
  ])
  const home = readEntry(exported.entries, 'index.html')
  expect(home).toContain('<a href="https://docs.example.com/internal/plan?tab=2#top">plan</a>')
  expect(home).toContain('<a href="https://docs.example.com/internal/moved">old</a>')
  expect(home).toContain('<a href="https://docs.example.com/internal/x.pdf">pdf</a>')
  expect(home).toContain('<a href="internal/logo.png">logo</a><img src="internal/logo.png">')
  expect(home).toContain('<iframe data-quire-removed="/internal/frame">')
})

test('the report lists excluded pages only as excluded by rules', async () => {
  const { report, entries } = await exportWithout(['/internal/*', '/typo/*'], site)
  expect(report.excludedPages).toEqual(
    ['frame', 'listed', 'logo.png', 'moved', 'plan', 'x.pdf'].map(name => ({
      url: `/internal/${name}`,
      pattern: '/internal/*',
    })),
  )
  expect([report.deadLinks, report.skipped, report.unresolved]).toEqual([[], [], []])
  expect(report.missingFiles).toEqual([
    { url: '/internal/frame', reason: 'excluded by your rules', count: 1, pages: ['index.html'] },
  ])
  expect(report.notes).toContain('The exclusion /typo/* matched no page of the site.')
  expect(readEntry(entries, 'export-report.html')).toContain('Pages excluded by your rules (6)')
})

test('a pattern with a query excludes one of several pages that differ only in the query', async () => {
  const wiki: FakeSite = path =>
    path === '/'
      ? page('home', '<a href="/i.php?title=Secret">s</a><a href="/i.php?title=Open">o</a>')
      : path.startsWith('/i.php?title=')
        ? page(path.slice(13))
        : undefined
  const { report, entries, pageCount } = await exportWithout(['/i.php?title=Secret'], wiki)
  expect([pageCount, report.excludedPages.map(({ pattern }) => pattern)]).toEqual([2, ['/i.php?title=Secret']])
  expect(readEntry(entries, 'index.html')).toContain('href="https://docs.example.com/i.php?title=Secret"')
  expect(server?.requests).not.toContain('/i.php?title=Secret')
})

test.each([
  ['the first page', { paths: null }, 'The page / is excluded by your rules (--exclude). Exclude fewer pages.'],
  ['a requested page', { paths: ['/a'] }, 'This page cannot be exported: /a (excluded by your rules). Correct `paths`'],
])('%s cannot be excluded', async (_, options, message) => {
  const only: FakeSite = { '/': { status: 302, headers: { location: '/a' } }, '/a': page('a'), '/b': page('b') }
  const starts = options.paths ? ['/a', '/b'] : null
  const error = await exportWithout(['/a'], only, { paths: starts }).catch(error => error)
  expect([error.name, error.message]).toEqual(['ExportError', expect.stringContaining(message)])
})

test('an empty list of patterns does not change the bundle', async () => {
  const [one, two] = [await exportWithout([], site), await exportWithout([], site, { removal: null })]
  expect(two.sha256).toBe(one.sha256)
})
