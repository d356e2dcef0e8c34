import { expect, test } from 'vitest'
import {
  checkLoginTimes,
  createRecordedLogin,
  parseRecordedLogin,
  type RecordedCookie,
} from '../../../server/web/login/recorded-login.ts'

const hour = 3_600_000
const now = Date.parse('2026-11-27T12:00:00Z')
const token = (seconds: number) => `e30.${Buffer.from(JSON.stringify({ exp: seconds })).toString('base64url')}.sig`

function check(cookies: Partial<RecordedCookie>[], storage: Record<string, string> = {}) {
  const whole = cookies.map(cookie => ({
    ...{ name: 'session', value: 'secret-value-1', domain: 'a.test', path: '/', secure: false, httpOnly: true },
    ...{ expiresAt: null },
    ...cookie,
  }))
  const login = {
    landing: 'https://a.test/',
    hasPasswordField: false,
    recordedAt: 0,
    cookies: whole,
    storage,
    headers: {},
  }
  return checkLoginTimes(createRecordedLogin(login), now, hour)
}

test('a login is refused once everything that signs in has expired, and the message has no value', () => {
  const ended = { expiresAt: now - hour }
  const message =
    'The recorded login has expired: the cookie session ended 2026-11-27T11:00:00.000Z. Record it again with: npx quire login'
  expect(() => check([ended])).toThrow(message)
  expect(() => check([], { auth: `"${token(now / 1000 - 60)}"` })).toThrow(
    'auth in local storage ended 2026-11-27T11:59:00',
  )
})

test('what ends during the export is a warning', () => {
  expect(check([{ expiresAt: now + hour / 2 }])).toContain('the cookie session ends 2026-11-27T12:30:00.000Z')
  expect(check([{}, { name: 'aux', expiresAt: now - 1 }])).toContain('the cookie aux ended')
  expect(check([{ expiresAt: now + 2 * hour }], { theme: 'dark', a: token(now / 1000 + 9000) })).toBeNull()
  expect(check([{}])).toBeNull()
})

test('a text that is no login is refused without the text', () => {
  for (const text of ['s3cret-text', '{"format":"s3cret-text"}', 'null'])
    expect(() => parseRecordedLogin(text, 'session.json')).toThrow(
      'session.json has no recorded login. Record one with: npx quire login',
    )
})
