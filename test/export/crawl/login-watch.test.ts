import { expect, test } from 'vitest'
import { setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'

const { run } = setUpBrowserlessExports()
const form = '<form><input name=user><input type="password" name=password></form>'
const links = (count: number) => Array.from({ length: count }, (_, at) => `<a href="/p${at}">p</a>`).join('')
const pages = (count: number, make: (path: string) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`/p${at}`, make(`p${at}`)]))
const toLogin = { status: 302, headers: { location: '/login' }, body: '' }

test('a few pages behind a login, and pages about passwords, are a note of the report', async () => {
  const { report } = await run({
    '/': page('home', `${links(4)}<a href="/account">a</a><a href="/settings">b</a><a href="/login">c</a>`),
    ...pages(4, name => page(name, `<h2>A field for ${name}</h2>${form}`)),
    '/account': toLogin,
    '/settings': toLogin,
    '/login': page('sign in', form),
  })
  expect(report.pages).toBe(6)
  expect(report.notes).toContain(
    '2 addresses need a login, such as /account. The bundle does not have what is behind it.',
  )
})

test.each([
  [
    'redirects all pages to its login page',
    toLogin,
    /answers with its login page \(\/login\) instead of \/p0: 6 addresses need a login\. Record a login with npx quire login/,
  ],
  [
    'answers all pages with 401',
    { status: 401, headers: {}, body: 'no' },
    /answers with status 401 instead of \/p0: 6 addresses need a login/,
  ],
])('a site that %s ends the export, unless the loss is allowed', async (_, answer, message) => {
  const site = {
    '/': page('home', `${links(6)}<a href="/login">login</a>`),
    '/login': page('sign in', form),
    ...Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`/p${at}`, answer])),
  }
  await expect(run(site)).rejects.toThrow(message)
  expect((await run(site, { allowLoss: true })).report.pages).toBe(2)
})

test('a site that shows the same form at each address ends the export', async () => {
  const wall = page('Members only', `${form}${links(4)}`)
  await expect(run({ '/': wall, ...pages(4, () => wall) })).rejects.toThrow(
    /answers with its login page \(\/\) instead of \//,
  )
})

test('a start page that needs a login by another host or by status is named with the command', async () => {
  const sso = { status: 302, headers: { location: 'http://localhost:9/oauth2/authorize?client=1' }, body: '' }
  await expect(run({ '/': { status: 401, headers: {}, body: 'no' } })).rejects.toThrow(
    /returned no page at \/ \(status 401\); the site requires a login: record one with npx quire login/,
  )
  await expect(run({ '/': sso })).rejects.toThrow(/localhost/)
})
