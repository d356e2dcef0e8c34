import { describe, expect, test } from 'vitest'
import { setUpBrowserlessExports } from './browserless-exports.ts'
import { type FakeAnswer, type FakeOptions, type FakeSite, page } from './fake-site.ts'

const { run } = setUpBrowserlessExports()

const failed: FakeAnswer = { status: 500, body: 'no' }
const names = Array.from({ length: 40 }, (_, index) => `/p${index}`)
const many = names.map(path => `<a href="${path}">x</a>`).join('')

/** A site of 41 pages, and these answers. */
function site(answers: Record<string, string | FakeAnswer>, frame = ''): FakeSite {
  return path =>
    answers[path] ?? (path === '/' ? page('home', many + frame) : names.includes(path) ? page(path) : undefined)
}
const options: FakeOptions = { limits: { retries: 0 } }
const loss = (given: FakeSite, more: FakeOptions = {}) => run(given, { ...options, ...more }).catch(error => error)
const remedy =
  'Start again when docs.example.com answers, leave them out (--exclude), or accept the loss (--allow-loss).'

describe('a page that a reader expects and that stays lost fails the export', () => {
  const sitemap = { body: '<urlset><url><loc>https://docs.example.com/p1</loc></url></urlset>' }
  const linking = Object.fromEntries(names.slice(10, 15).map(path => [path, page(path, '<a href="/p1">x</a>')]))
  const rows: [string, Record<string, string | FakeAnswer>, string][] = [
    ['in the navigation of one page', { '/p2': page('p2', '<nav><a href="/p1">x</a></nav>'), '/p1': failed }, ''],
    ['in a sitemap', { '/sitemap.xml': sitemap, '/p1': failed }, ''],
    ['in llms.txt', { '/llms.txt': { body: '- [x](/p1)' }, '/p1': failed }, ''],
    ['linked from many pages', { ...linking, '/p1': failed }, ''],
    [
      'that has a spelling without a page',
      { '/p1': failed, '/p1/': { status: 404 } },
      '<nav><a href="/p1">x</a><a href="/p1/">x</a></nav>',
    ],
  ]
  test.each(rows)('%s', async (_, answers, frame) => {
    expect(await loss(site(answers, frame))).toMatchObject({
      code: 'unreachable',
      message: `1 page that the site lists or links in its navigation could not be fetched: /p1 (status 500). ${remedy}`,
    })
  })

  test('three of them are named', async () => {
    const answers = Object.fromEntries(['/p1', '/p2', '/p3', '/p4'].map(path => [path, failed]))
    expect(await loss(site(answers, `<nav>${many}</nav>`))).toMatchObject({
      message: `4 pages that the site lists or links in its navigation could not be fetched: /p1 (status 500), /p2 (status 500), /p3 (status 500) and 1 more. ${remedy}`,
    })
  })

  test('unless the loss is allowed: then the report begins with it', async () => {
    const { pageCount, report } = await loss(site({ '/p1': failed }, '<nav><a href="/p1">x</a></nav>'), {
      allowLoss: true,
    })
    expect(pageCount).toBe(40)
    expect(report.notes[0]).toBe('Missing: 1 page could not be fetched: /p1 (status 500).')
    expect(report.skipped).toEqual([{ url: '/p1', reason: 'status 500' }])
  })
})

test('a lost page that only one page links in its text is in the report', async () => {
  const { pageCount, report } = await loss(site({ '/p1': failed, '/p2': failed }))
  expect(pageCount).toBe(39)
  expect(report.notes[0]).toBe('Missing: 2 pages could not be fetched: /p1 (status 500), /p2 (status 500).')
})

test('a dead link of the navigation is no lost page', async () => {
  const { report } = await loss(site({}, '<nav><a href="/gone">x</a></nav>'))
  expect(report.notes.filter((note: string) => /Missing/.test(note))).toEqual([])
  expect(report.deadLinks).toMatchObject([{ to: '/gone', reason: 'status 404' }])
})

test('a sitemap that robots.txt names and that cannot be read fails the export, and a guessed one is a note', async () => {
  const robots = { headers: { 'content-type': 'text/plain' }, body: 'Sitemap: /list.xml' }
  const lost = { '/robots.txt': robots, '/list.xml': failed }
  const what = 'Pages may be missing, because a sitemap could not be read:'
  expect(await loss(site(lost))).toMatchObject({
    message: `${what} /list.xml (status 500). Start again when docs.example.com answers, or accept the loss (--allow-loss).`,
  })
  const allowed = await loss(site(lost), { allowLoss: true })
  expect(allowed.report.notes[0]).toBe(`${what} /list.xml (status 500).`)
  const guessed = await loss(site({ '/sitemap.xml': failed }))
  expect(guessed.report.notes[0]).toBe(`${what} /sitemap.xml (status 500).`)
})
