import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listLinks, listPages, pageKey } from '../../../scripts/bench/export/list-pages.ts'

const answers: Record<string, [number, string, string]> = {
  '/': [
    200,
    'text/html',
    '<a href="/a?x=1#y">a</a> <a href="b/">b</a> <a href="/old">old</a> <a href="/gone">gone</a>',
  ],
  '/a': [200, 'text/html; charset=utf-8', '<iframe src="frame.html"></iframe><a href="/file.zip">zip</a>'],
  '/b/': [200, 'text/html', '<base href="/c/"><a href="d">d</a><a href="https://elsewhere.test/x">x</a>'],
  '/frame.html': [200, 'text/html', ''],
  '/other': [200, 'text/html', 'named only by an address of another host'],
  '/c/d': [200, 'text/html', '<meta http-equiv="refresh" content="0; url=/e">'],
  '/e': [200, 'text/html', ''],
  '/old': [301, '/a', ''],
  '/file.zip': [200, 'application/zip', ''],
  '/map': [200, 'text/html', ''],
  '/sitemap.xml': [200, 'application/xml', '<loc> http://HOST/map </loc><loc>https://docs.example.com/other</loc>'],
}
const server = createServer((request, response) => {
  const [status, type, text] = answers[new URL(request.url ?? '/', 'http://x').pathname] ?? [404, 'text/html', '404']
  const body = text.replace('HOST', request.headers.host ?? '')
  response.writeHead(status, status === 301 ? { Location: type } : { 'Content-Type': type }).end(body)
})
let root = ''

beforeAll(async () => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})

afterAll(() => void server.close())

test('the pages are those that links, frames, forwards and the site map lead to', async () => {
  const pages = await listPages(root, '/')
  expect(pages.map(({ path }) => path)).toEqual(['/', '/a', '/b/', '/c/d', '/e', '/frame.html', '/map'])
})

test('an answer that is no page, and pages beside the scope, are no pages of the site', async () => {
  expect(await listPages(root, '/c/d')).toEqual([{ path: '/c/d', bytes: answers['/c/d']?.[2].length }])
  expect(await listPages(root, '/file.zip')).not.toContainEqual(expect.objectContaining({ path: '/file.zip' }))
})

test.each([
  ['/', '/'],
  ['/index.html', '/'],
  ['/a/', '/a'],
  ['/a/index.html', '/a'],
  ['/a.html', '/a'],
  ['/a%20b.htm', '/a b'],
  ['/%zz', '/%zz'],
])('%s is the page %s', (path, key) => {
  expect(pageKey(path)).toBe(key)
})

test('links to other hosts are not listed', () => {
  const html = '<a href="mailto:x@y.test"></a><a href="//other.test/"></a><area href="here">'
  expect(listLinks(html, 'http://a.test/x/')).toEqual(['/x/here'])
})
