import { afterEach, expect, test } from 'vitest'
import { createSlashHabit } from '../../../server/export/crawl/visit.ts'
import { exportFakeSite, type FakeAnswer, type FakeSite, page, startFakeSite } from '../fake-site.ts'
import type { RunningServer } from '../static-server.ts'

let site: RunningServer | undefined

afterEach(() => site?.close())

const names = Array.from({ length: 40 }, (_, index) => `page-${10 + index}`)
const links = names.map(name => `<a href="/${name}">${name}</a>`).join('')

/** Serves pages in folders, as static hosts do. `more` has priority. */
const inFolders =
  (more: FakeSite & object = {}): FakeSite =>
  path => {
    const own = (more as Record<string, string | FakeAnswer>)[path]
    if (own !== undefined) return own
    if (path === '/') return page('home', links)
    const [, name = '', slash] = /^\/([\w-]+)(\/?)$/.exec(path) ?? []
    if (!names.includes(name)) return undefined
    return slash ? page(name, '<a href="../">up</a>') : { status: 301, headers: { location: `${path}/` } }
  }

async function run(answers: FakeSite) {
  site = await startFakeSite(answers)
  const { report, names } = await exportFakeSite(site.origin, { verify: 'static' })
  return { report, pages: names.filter(name => name.startsWith('page-')), requests: site.requests }
}

test('if /page redirects to /page/ several times, the other pages are requested with the slash', async () => {
  const { report, pages, requests } = await run(inFolders())
  expect([report.pages, report.deadLinks]).toEqual([41, []])
  expect(pages).toEqual(names.map(name => `${name}/index.html`))
  expect(requests.filter(path => /page-\d+$/.test(path))).toHaveLength(8)
  expect(requests.filter(path => /page-\d+\/$/.test(path))).toHaveLength(40)
})

test('a page that is missing with a slash is requested as linked', async () => {
  const { report, pages } = await run(
    inFolders({ '/': page('home', `${links}<a href="/plain">plain</a>`), '/plain': page('plain') }),
  )
  expect([report.pages, report.deadLinks, pages.length]).toEqual([42, [], 40])
})

test.each<[string, FakeAnswer]>([
  ['fails', { status: 500, body: '<h1>Broken</h1>' }],
  ['leads to another page', { status: 302, headers: { location: '/page-20/' } }],
  ['leads to another host', { status: 302, headers: { location: 'https://login.example.com/' } }],
  ['is a file', { body: '{}', headers: { 'content-type': 'application/json' } }],
])('a page is not lost if its address with a slash %s', async (_, answer) => {
  const { report, pages } = await run(
    inFolders({ '/': page('home', `${links}<a href="/plain">plain</a>`), '/plain': page('plain'), '/plain/': answer }),
  )
  expect([report.pages, report.deadLinks, pages.length]).toEqual([42, [], 40])
})

test('if a site serves some pages without a slash, all pages are requested as linked', async () => {
  const own = { '/page-11': page('page-11', '<a href="page-12">next</a>') }
  const { report, requests } = await run(inFolders(own))
  expect([report.pages, report.deadLinks]).toEqual([41, []])
  expect(requests.filter(path => /page-\d+$/.test(path))).toHaveLength(40)
  expect(requests).not.toContain('/page-11/')
})

test('no page is visited ahead where an extension leaves no choice', () => {
  const candidates = (paths: readonly string[]) =>
    paths.map(path => ({ key: path, targets: [`http://site.invalid${path}`], votes: [1], tried: 0, isListed: false }))
  const files = candidates(names.map(name => `/${name}.html`))
  const folders = candidates(names.map(name => `/${name}`))
  expect(createSlashHabit().probe(files)).toEqual([])
  expect(createSlashHabit().probe([...files, ...folders])).toEqual(folders.slice(0, 8))
})
