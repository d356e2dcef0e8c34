import { expect, test } from 'vitest'
import { createStepMock, jobs, send, startInit, visitors } from './step-mock.ts'

test('keys with a word in them have other rights', async () => {
  const { mock } = createStepMock()
  const as = async (key: string, path: string, init: RequestInit = {}) =>
    (await send(mock, path, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } })).status
  expect(await as('quire_expired', visitors)).toBe(401)
  expect(await as('read-only', jobs, startInit())).toBe(403)
  expect(await as('read-only', visitors)).toBe(200)
  expect(await as('write-only', visitors)).toBe(200)
  expect(await as('standard-plan', jobs, startInit())).toBe(403)
  expect(await as('other-organization', visitors)).toBe(404)
  expect(await as('other-organization', `${jobs}/se_0f3c9a1b2d4e5f60`)).toBe(404)
  expect(await as('another', visitors)).toBe(200)
  expect(await as('ingest', visitors)).toBe(403)
})

test('with a key, only that key and those with other rights are accepted', async () => {
  const { mock } = createStepMock({ key: 'quire_wrong-or-right' })
  const as = async (key: string) => (await send(mock, visitors, { headers: { Authorization: `Bearer ${key}` } })).status
  expect(await as('quire_wrong-or-right')).toBe(200)
  expect(await as('quire_wrong-or-righ')).toBe(401)
  expect(await as('QUIRE_wrong-or-right')).toBe(401)
  expect(await as('any')).toBe(401)
  expect([await as('ingest')]).toEqual([403])
  expect([await as('read-only'), await as('write-only'), await as('other')]).toEqual([200, 200, 404])
})
