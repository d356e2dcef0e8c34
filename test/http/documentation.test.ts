import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.dispose())

const ask = (path: string, method = 'GET') => fetch(server.url + path, { method, redirect: 'manual' })
const base = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

test.each([
  ['/docs/', 'text/html', base],
  ['/docs/operate', 'text/html', base],
  ['/docs/operations/getAgentJob', 'text/html', base],
  ['/docs/style.css', 'text/css', base],
  ['/docs/search.js', 'text/javascript', base],
  ['/docs/search?q=a', 'text/html', `${base}; script-src 'self'`],
])('%s is %s, and only the search page may run a script', async (path, type, policy) => {
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
