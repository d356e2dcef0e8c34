import { expect, test } from 'vitest'
import { usualCounting } from '../../../server/tenancy/project.ts'
import { oneProject, readLog } from './read-log.ts'

const line = (path: string, status = 200) =>
  `203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "GET ${path} HTTP/1.1" ${status} 512 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"`

function read(lines: readonly string[], pages: readonly string[], notPages: readonly string[] = []) {
  return readLog(lines.join('\n'), { projects: { ...oneProject, counting: { ...usualCounting, pages, notPages } } })
}

test.each([
  ['/api/*', ['/api/health', '/api/mcp/', '/api/spec.json'], ['/api/health', '/api/mcp', '/api/spec.json']],
  ['/api/*', ['/api/logo.png', '/api/a.rsc', '/health', '/api/a?_rsc=1'], []],
  ['/api/*', ['/api/.env', '/api/.git/config', '/api/wp-login.php', '/api/x.bak'], []],
  ['/health/*', ['/healthz', '/health'], ['/health']],
  ['*.pdf', ['/a.pdf', '/b/C.PDF?page=2', '/a.zip', '/pdf'], ['/a.pdf', '/b/C.PDF', '/pdf']],
  ['*.php', ['/xmlrpc.php', '/wp-login.php'], ['/xmlrpc.php', '/wp-login.php']],
  ['/feed', ['/feed/', '/feeds', '/rss'], ['/feed', '/feeds']],
  // Its readers have counts of their own.
  ['*.txt', ['/llms.txt', '/robots.txt'], ['/robots.txt']],
])('with %s, of %o the pages are %o', (setting, paths, pages) => {
  const { views, tally } = read(
    [...paths, ...paths].map(path => line(path)),
    [setting],
  )
  expect(views.map(({ path }) => path)).toEqual(pages)
  expect(tally.views.human).toBe(2 * pages.length)
})

test('a path that is no page of the project wins over further pages', () => {
  const { tally } = read([line('/api/health'), line('/api/mcp')], ['/api/*'], ['/api/mcp'])
  expect(tally.views.human).toBe(1)
  expect(tally.filtered['no-page']).toBe(1)
})

test('a further page that is missing counts as a page that failed', () => {
  const labels = read([line('/gone.pdf', 404)], ['*.pdf']).entries.map(({ path }) => path)
  expect(labels).toEqual(['failed:human:missing/gone.pdf'])
})

test('a further page counts when a router opens it, too', () => {
  const sent = (page: string) => line(`/_quire/view?page=${encodeURIComponent(page)}`, 204)
  const { views } = read([sent('/api/health'), sent('/logo.png')], ['/api/*', '/_quire/*'])
  expect(views.map(({ path }) => path)).toEqual(['/api/health'])
})

test('another project of the same log keeps the usual pages', () => {
  const own = { ...oneProject, id: 'prj_2', counting: { ...usualCounting, pages: ['*.pdf'] } }
  const projects = new Map<string, typeof oneProject | typeof own>([
    ['a.example', oneProject],
    ['b.example', own],
  ])
  const log = ['a.example', 'b.example', 'a.example'].map(host => `${host}:443 ${line('/a.pdf')}`).join('\n')
  const { views } = readLog(log, { projects })
  expect(views.map(({ project }) => project)).toEqual(['prj_2'])
})
