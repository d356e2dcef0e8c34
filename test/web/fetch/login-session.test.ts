import { describe, expect, test } from 'vitest'
import { openLoginSession, signsOut } from '../../../server/web/fetch/login-session.ts'
import { createRecordedLogin, type RecordedCookie } from '../../../server/web/login/recorded-login.ts'

const session: RecordedCookie = {
  ...{ name: 'session', value: 'abcdef0123456789', domain: 'docs.example.com', path: '/' },
  ...{ expiresAt: null, secure: true, httpOnly: true },
}
const open = (cookies: RecordedCookie[], landing = 'https://docs.example.com/', storage: Record<string, string> = {}) =>
  openLoginSession(
    createRecordedLogin({ landing, recordedAt: 0, hasPasswordField: false, cookies, storage, headers: {} }),
    () => 1000,
  )

describe('a cookie is sent only where it belongs', () => {
  const wide = { ...session, name: 'wide', domain: '.example.com' }
  const guide = { ...session, name: 'guide', path: '/guide' }
  const ended = { ...session, name: 'ended', expiresAt: 999 }
  const { headersFor } = open([session, wide, guide, ended])
  test.each([
    ['https://docs.example.com/', ['session', 'wide']],
    ['https://docs.example.com/guide/a', ['guide', 'session', 'wide']],
    ['https://docs.example.com/guidebook', ['session', 'wide']],
    ['https://files.example.com/a.png', ['wide']],
    ['https://docs.example.com.evil.test/', []],
    ['https://evilexample.com/', []],
    ['https://docs.example.com:8443/', []],
    ['http://docs.example.com/', []],
  ])('%s gets %j', (address, names) => {
    const { cookie = '' } = headersFor(new URL(address))
    expect(cookie === '' ? [] : cookie.split('; ').map(pair => pair.split('=')[0])).toEqual(names)
  })
})

describe('cookies of answers', () => {
  const url = new URL('https://docs.example.com/guide/a')
  const cookieOf = (given: string | string[]) => {
    const { noteCookies, headersFor } = open([session])
    noteCookies(url, given)
    return headersFor(url).cookie
  }

  test.each([
    ['session=new-value-123', 'session=new-value-123; session=abcdef0123456789'],
    ['session=new-value-123; Path=/', 'session=new-value-123'],
    ['session=; Path=/; Max-Age=0', undefined],
    ['session=x; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT', undefined],
    ['other=1; Domain=evil.test; Path=/', 'session=abcdef0123456789'],
    [['a=1; Path=/', 'b=2; Path=/elsewhere'], 'session=abcdef0123456789; a=1'],
  ])('%j makes %s', (given, sent) => {
    expect(cookieOf(given as string)).toBe(sent)
  })

  test('a domain that the login did not have is no wider than the host', () => {
    const { noteCookies, headersFor } = open([session])
    noteCookies(url, 'wide=1; Domain=com; Path=/')
    expect(headersFor(new URL('https://docs.example.com/')).cookie).toContain('wide=1')
    expect(headersFor(new URL('https://other.com/')).cookie).toBeUndefined()
  })

  test('other hosts set none', () => {
    const { noteCookies, headersFor } = open([session])
    noteCookies(new URL('http://docs.example.com/'), 'session=stolen-1234; Path=/')
    expect(headersFor(url).cookie).toBe('session=abcdef0123456789')
  })
})

test('headers of scripts go to the same address of the site only', () => {
  const { noteHeaders, headersFor } = open([])
  noteHeaders(new URL('https://docs.example.com/api/a'), { authorization: 'Bearer abc-123-def', accept: '*/*' })
  noteHeaders(new URL('https://cdn.example.com/api/a'), { authorization: 'Bearer abc-123-def' })
  expect(headersFor(new URL('https://docs.example.com/api/a'))).toEqual({ authorization: 'Bearer abc-123-def' })
  expect(headersFor(new URL('https://docs.example.com/api/b'))).toEqual({})
  expect(headersFor(new URL('https://cdn.example.com/api/a'))).toEqual({})
})

describe('secrets', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  const { secrets, noteCookies } = open([{ ...session, value: 's%3Aabcdef0123456789' }], 'https://docs.example.com/', {
    auth: JSON.stringify({ user: 'Ann', tokens: [{ access_token: jwt }] }),
    theme: 'dark-blue-2',
    last: '/guide/install-2',
  })
  const redact = (text: string) => secrets.redact(Buffer.from(text)).toString()

  test('are removed in the spellings that pages use', () => {
    noteCookies(new URL('https://docs.example.com/'), 'session=fresh-value-99; HttpOnly')
    for (const secret of ['s%3Aabcdef0123456789', 's:abcdef0123456789', jwt, 'fresh-value-99'])
      expect(redact(`<p data-x="${secret}">`)).toBe('<p data-x="removed-login-value">')
    expect(secrets.find(Buffer.from(`x ${jwt}`))).toBe('auth tokens 0 access_token')
  })

  test('are no settings and no words', () => {
    const text = '<p class="dark-blue-2"><a href="/guide/install-2">Ann</a>'
    expect(redact(text)).toBe(text)
    expect(secrets.find(Buffer.from(text))).toBeNull()
  })
})

test.each([
  ['/logout', true],
  ['/users/sign_out', true],
  ['/auth/log-out/', true],
  ['/wiki/Special:UserLogout', true],
  ['/index.php?title=Special:UserLogout', true],
  ['/?action=logout', true],
  ['/account/signout.php', true],
  ['/guide/how-to-log-out', false],
  ['/logouts', false],
  ['/catalog', false],
  ['/blog/out', false],
])('%s ends a login: %s', (path, expected) => {
  expect(signsOut(new URL(path, 'https://docs.example.com/'))).toBe(expected)
})
