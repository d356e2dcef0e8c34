import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.dispose())

const choose = (theme: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/dashboard/theme`, {
    method: 'POST',
    body: new URLSearchParams({ theme }),
    headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
    redirect: 'manual',
  })

test.each([
  ['dark', /<html lang="en" data-theme="dark">/],
  ['light', /<html lang="en" data-theme="light">/],
  ['system', /<html lang="en">/],
  ['purple', /<html lang="en">/],
])('the theme %s stays in a cookie, and the server writes pages in it', async (theme, root) => {
  const answer = await choose(theme)
  const [cookie = ''] = answer.headers.getSetCookie()
  expect(cookie).toContain('Path=/dashboard; ')
  expect(cookie).toContain('HttpOnly')
  const page = await fetch(`${server.url}/dashboard/sign-in`, { headers: { Cookie: cookie.split(';')[0] ?? '' } })
  expect(await page.text()).toMatch(root)
})

test.each([
  ['/dashboard/sign-in?ended=page', 'sign-in?ended=page'],
  ['/dashboard/org_1/keys', 'org_1/keys'],
  ['/elsewhere', './'],
  ['/dashboard///evil.example/', './'],
  ['/dashboard/https:evil.example/', './https:evil.example/'],
])('after a choice on %s, the browser goes to %s', async (from, to) => {
  const answer = await choose('dark', { Referer: server.url + from })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, to])
})

test('a page of another site cannot choose the theme', async () => {
  const answer = await choose('dark', { 'Sec-Fetch-Site': 'cross-site' })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
})
