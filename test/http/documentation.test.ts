import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.dispose())

const ask = (path: string, method = 'GET') => fetch(server.url + path, { method, redirect: 'manual' })
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

test.each([
  ['/docs/', 'text/html'],
  ['/docs/operate', 'text/html'],
  ['/docs/operations/getAgentJob', 'text/html'],
  ['/docs/search?q=a', 'text/html'],
  ['/docs/style.css', 'text/css'],
  ['/docs/search.js', 'text/javascript'],
  ['/docs/search-index/directory.js', 'text/javascript'],
])('%s is %s, and may load only files of the server', async (path, type) => {
  const response = await ask(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  expect(response.headers.get('content-security-policy')).toBe(policy)
})

test.each([
  ['/docs', 'docs/', '/docs/'],
  ['/docs//', '../', '/docs/'],
  ['/docs/operate/', '../operate', '/docs/operate'],
  ['/docs/operations/getAgentJob/', '../getAgentJob', '/docs/operations/getAgentJob'],
])('%s redirects to the address of the page by a relative path', async (path, location, target) => {
  const response = await ask(path)
  expect(response.status).toBe(308)
  expect(response.headers.get('location')).toBe(location)
  expect(new URL(location, server.url + path).pathname).toBe(target)
})

test.each(['/docs/nothing-here', '/docsoperate', '/docs/../docs-x'])('%s is a JSON 404', async path => {
  const response = await ask(path)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: expect.any(String) })
})

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test.each([
  ['/docs/nothing-here', '../dashboard/'],
  ['/nothing-here', 'dashboard/'],
  ['/a/b/', '../../dashboard/'],
])('%s is a page for a browser, which leads to the documentation and the dashboard', async (path, dashboard) => {
  const response = await fetch(server.url + path, { headers: browser })
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toBe(policy)
  expect(response.headers.get('vary')).toContain('Accept')
  const html = await response.text()
  expect(html).toContain('<h1>Page not found</h1>')
  expect(html).toContain(`<a href="${dashboard}">Dashboard</a>`)
})

test.each([
  ['an address of the API', '/v1/static-export/nothing', 'GET', 404],
  ['an address of the API with another method', '/v1/static-export/jobs/se_0f3c9a1b2d4e5f60/bundle', 'GET', 405],
  ['a form', '/nothing-here', 'POST', 404],
])('%s is JSON, also for a browser', async (_name, path, method, status) => {
  const response = await fetch(server.url + path, { method, headers: browser })
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) })
})

test('the sitemap lists each page with the public URL of the server', async () => {
  const map = await (await ask('/docs/sitemap.xml')).text()
  expect(map).toContain(`<loc>${server.url}/docs/</loc>`)
  expect(map).toContain(`<loc>${server.url}/docs/operations/getUniqueVisitors</loc>`)
})

test('HEAD answers like GET, and POST is refused', async () => {
  const head = await ask('/docs/', 'HEAD')
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await ask('/docs/', 'POST')).status).toBe(404)
})
