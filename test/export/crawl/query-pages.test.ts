import { afterEach, describe, expect, test } from 'vitest'
import { isTellingQuery, queryKey, queryTarget } from '../../../server/export/model/site.ts'
import { exportFakeSite, type FakeSite, page, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import { type RunningServer, startServer } from '../static-server.ts'

let site: RunningServer | undefined

afterEach(() => site?.close())

async function run(answers: FakeSite) {
  site = await startFakeSite(answers)
  const exported = await exportFakeSite(site.origin, { verify: 'static' })
  const pages = exported.names.filter(name => !name.startsWith('export-report'))
  const text = (name: string) => readEntry(exported.entries, name)
  return { ...exported, pages, text, requests: site.requests.filter(path => path.includes('?')).sort() }
}

test('pages that differ only in the query are exported and linked, if the path redirects to one of them', async () => {
  const links: Record<string, string[]> = { Main: ['A', 'B'], A: ['Main'], B: ['A', 'C'], C: [] }
  const { pages, text, report } = await run(path => {
    const title = new URL(path, 'http://x/').searchParams.get('title') ?? ''
    if (path === '/' || path === '/index.php') return { status: 302, headers: { location: '/index.php?title=Main' } }
    const anchors = links[title]?.map(name => `<a href="/index.php?title=${name}&amp;utm_source=x">${name}</a>`)
    return anchors && page(`Wiki ${title}`, anchors.join(''))
  })
  expect([report.pages, report.deadLinks]).toEqual([4, []])
  const titled = new Map(pages.map(name => [/<title>(.*)<\/title>/.exec(text(name))?.[1], name]))
  expect([...titled.keys()].sort()).toEqual(['This page has moved', 'Wiki A', 'Wiki B', 'Wiki C', 'Wiki Main'])
  const hrefs = (title: string) =>
    [...text(titled.get(title) ?? '').matchAll(/<a href="([^"?]*)/g)].map(match => match[1])
  expect(hrefs('Wiki Main')).toEqual([titled.get('Wiki A'), titled.get('Wiki B')])
  expect(hrefs('Wiki A')).toEqual([titled.get('Wiki Main')])
  expect(hrefs('Wiki B')).toEqual([titled.get('Wiki A'), titled.get('Wiki C')])
})

test('pages that differ only in the query are exported if the path is missing, also from frames and later links', async () => {
  const shown = (id: number, next: string) => page(`q${id}`, next)
  const { report, requests } = await run({
    '/': page('home', '<a href="/q?id=1">1</a><a href="/a">a</a><iframe src="/q?id=2"></iframe>'),
    '/a': page('a', '<a href="/b">b</a>'),
    '/b': page('b', '<a href="/q?id=4#part">4</a><a href="/q?id=2">2</a>'),
    '/q': { status: 404, body: page('no') },
    '/q?id=1': shown(1, '<a href="?id=3">3</a>'),
    '/q?id=2': shown(2, ''),
    '/q?id=3': shown(3, ''),
    '/q?id=4': shown(4, ''),
  })
  expect([report.pages, report.deadLinks, report.missingFiles]).toEqual([7, [], []])
  expect(requests).toEqual(['/q?id=1', '/q?id=2', '/q?id=3', '/q?id=4'])
})

test('a query on the path of a page does not make another page if it sorts, or if the text is the same', async () => {
  const numbers = Array.from({ length: 9 }, (_, index) => `<a href="/list?t=${index}">list</a>`)
  const { report, requests } = await run({
    '/': page('home', '<a href="/list?sort=up">up</a><a href="/list?sort=down">down</a><a href="/list">list</a>'),
    '/list': page('list', numbers.join('')),
    '/list?sort=up': page('another list'),
  })
  expect([report.pages, requests]).toEqual([2, ['/list?t=0', '/list?t=1', '/list?t=2']])
  expect(report.notes).toContain(
    '11 links with a query, such as /list?sort=down, point to the page without the query: the bundle does not contain variants that differ only in the query.',
  )
})

test('a query that a redirect adds does not make another page', async () => {
  const { report, requests } = await run(path => {
    if (path === '/') return page('home', '<a href="/in">in</a><a href="/login?next=/">log in</a>')
    if (path === '/in') return { status: 302, headers: { location: '/login?next=/in' } }
    return path.startsWith('/login') ? page('login', '<a href="/login?next=/login">log in</a>') : undefined
  })
  expect([report.pages, requests]).toEqual([2, ['/login?next=/in']])
})

test('few queries are tried on a missing path', async () => {
  const anchors = Array.from({ length: 40 }, (_, index) => `<a href="/gone?page=${100 + index}">x</a>`)
  const { report, requests } = await run({ '/': page('home', anchors.join('')) })
  expect(requests).toEqual(['/gone?page=100', '/gone?page=101', '/gone?page=102'])
  expect(report.deadLinks).toMatchObject([{ to: '/gone', reason: 'status 404', count: 1 }])
})

describe('a query that can select a page', () => {
  test.each([
    ['/a/?b=1&utm_source=x&c=%C3%A9#d', '/a?b=1&c=%C3%A9', '/a/?b=1&c=%C3%A9'],
    ['/a?utm_source=x&fbclid=1', null, null],
    ['/a?', null, null],
    ['/a.zip?v=2', null, null],
  ])('%s', (address, key, target) => {
    const url = new URL(address, 'http://docs.example.com')
    expect(isTellingQuery(url)).toBe(key !== null)
    if (key === null) return
    expect([queryKey(url), queryTarget(url).href]).toEqual([url.origin + key, url.origin + target])
  })
})

test.each([
  ['their title differs', (name: string, language: string) => page(`${name} in ${language}`)],
  ['their text differs', (name: string, language: string) => page(name, language.repeat(12).replaceAll(/../g, '$& '))],
])('variants of a page that differ only in the query are exported if %s', async (_, write) => {
  const { report, text, pages } = await run(path => {
    const { pathname, searchParams } = new URL(path, 'http://x/')
    const links = ['de', 'fr'].map(name => `<a href="${pathname}?lang=${name}">${name}</a>`).join('')
    const language = searchParams.get('lang') ?? 'en'
    return ['/', '/guide'].includes(pathname)
      ? write(pathname, language).replace('</body>', `${links}<a href="/guide?lang=de">guide</a></body>`)
      : undefined
  })
  expect([report.pages, report.deadLinks, report.notes.filter(note => /query/.test(note))]).toEqual([6, [], []])
  const german = /href="(guide[^"]*\.html)\?lang=de"/.exec(text('index.html'))?.[1] ?? ''
  expect(pages).toContain(german)
  expect(german).not.toBe('guide.html')
})

test('a page that is sent without a Content-Type is recognized', async () => {
  const server = await startServer((request, response) => {
    if (request.url === '/') response.end(page('home', '<a href="/a">a</a><a href="/b">b</a>'))
    else if (request.url === '/a') response.end(page('a'))
    else if (request.url === '/b') response.setHeader('x-content-type-options', 'nosniff').end(page('b'))
    else response.writeHead(404).end()
  })
  const { names, report } = await exportFakeSite(server.origin, { verify: 'static' }).finally(() => server.close())
  expect([report.pages, names.filter(name => !name.startsWith('export-'))]).toEqual([
    2,
    ['a.html', 'a/index.htm', 'b', 'index.html'],
  ])
})
