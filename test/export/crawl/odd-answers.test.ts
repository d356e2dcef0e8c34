import { deflateRawSync, deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { setUpBrowserlessExports } from '../browserless-exports.ts'
import { type FakeAnswer, type FakeSite, page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const octets = { 'content-type': 'application/octet-stream' }
const home = (links: readonly string[]) =>
  page('home', `<nav>${links.map(link => `<a href="${link}">x</a>`).join('')}</nav>`)

test('HTML that is sent as application/octet-stream is a page if its address may be one', async () => {
  const { report, entries, names } = await run({
    '/': home(['/a.html', '/b', '/c.bin']),
    '/a.html': { body: page('a', '<a href="/b">b</a>'), headers: octets },
    '/b': { body: page('b'), headers: octets },
    '/c.bin': { body: page('c'), headers: octets },
  })
  expect(report.pages).toBe(3)
  expect(readEntry(entries, 'a.html')).toContain('<a href="b.html">b</a>')
  expect(names).toContain('c.bin')
})

test.each(['image/png', 'text/html'])('a picture at the address of a page, sent as %s, is a file', async type => {
  const { report, entries, names } = await run({
    '/': home(['/picture.html']).replace('</nav>', '</nav><img src="/picture.html">'),
    '/picture.html': { body: png, headers: { 'content-type': type } },
  })
  expect([report.pages, report.deadLinks, report.unresolved]).toEqual([1, [], []])
  const [name = ''] = names.filter(name => name.startsWith('picture'))
  expect(entries.find(entry => entry.name === name)?.content).toEqual(png)
  if (type === 'image/png') expect(name).toBe('picture.html.png')
  expect(readEntry(entries, 'index.html')).toContain(`<a href="${name}">x</a>`)
})

test('a Refresh header becomes part of the page, and its target is a page too', async () => {
  const { report, entries } = await run({
    '/': home(['/old']),
    '/old': { body: '<!doctype html><title>Old</title>', headers: { refresh: '0; url=/new?a="1"' } },
    '/new': page('new'),
  })
  expect(report.pages).toBe(3)
  expect(readEntry(entries, 'old.html')).toContain('http-equiv="refresh" content="0; url=new.html')
})

test.each([
  ['with the header of zlib', deflateSync],
  ['raw', deflateRawSync],
])('a page compressed with deflate, %s, is read', async (_, compress) => {
  const packed: FakeAnswer = {
    body: compress(Buffer.from(page('a').repeat(50))),
    headers: { 'content-type': 'text/html', 'content-encoding': 'deflate' },
  }
  const { report, entries } = await run({ '/': home(['/a']), '/a': packed })
  expect(report.pages).toBe(2)
  expect(readEntry(entries, 'a.html').match(/<h1>a<\/h1>/g)).toHaveLength(50)
})

test('as many redirects as browsers follow are followed', async () => {
  const hops: FakeSite = path => {
    const hop = Number(/^\/hop\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
    if (hop < 20) return { status: 302, headers: { location: `/hop/${hop + 1}` } }
    return hop === 20 ? page('end') : path === '/' ? home(['/hop/0']) : undefined
  }
  const { report, entries } = await run(hops)
  expect([report.pages, report.deadLinks]).toEqual([2, []])
  expect(readEntry(entries, 'index.html')).toContain('<a href="hop/20.html">x</a>')
})

test('a page in 120 folders is a page', async () => {
  const deep = `/${Array.from({ length: 120 }, (_, index) => 1000 + index).join('/')}/page.html`
  const { report, entries } = await run({ '/': home([deep]), [deep]: page('deep', '<a href="/">home</a>') })
  expect([report.pages, report.deadLinks, report.unresolved]).toEqual([2, [], []])
  const [, name = ''] = /<a href="([^"]*)">x/.exec(readEntry(entries, 'index.html')) ?? []
  expect(readEntry(entries, name)).toContain('<h1>deep</h1>')
})
