import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openServingStore } from '../../server/store/serving-store.ts'
import { openStore } from '../../server/store/store.ts'
import { hashSecret, type Session, sessionIdleMs, sessionMs } from '../../server/tenancy/sign-in.ts'
import { shareTests, type TestStore } from './stores.ts'

const now = Date.UTC(2026, 10, 23)
const person = { id: 'usr_1', organizationId: null, name: 'operator', createdAt: now }
const secret = hashSecret('one')

function newSession(id: string, createdAt = now): Session {
  return {
    id,
    personId: person.id,
    createdAt,
    lastSeenAt: createdAt,
    expiresAt: createdAt + sessionMs,
    address: '203.0.113.9',
  }
}

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await store.people.insert(person)
})

const lastSeen = async (at: number) => (await store.sessions.list(person.id, at))[0]?.lastSeenAt

stores.describe('sessions', () => {
  test('finds the session and its person by the secret', async () => {
    await store.sessions.insert(newSession('ses_1'), secret)
    expect(await store.sessions.find(secret, now)).toEqual({ session: newSession('ses_1'), person })
    expect(await store.sessions.find(hashSecret('two'), now)).toBeUndefined()
  })

  test('stores the time of use once a minute', async () => {
    await store.sessions.insert(newSession('ses_1'), secret)
    for (const [afterMs, storedMs] of [
      [59_999, 0],
      [60_000, 60_000],
      [119_999, 60_000],
      [120_000, 120_000],
    ] as const) {
      await store.sessions.find(secret, now + afterMs)
      expect([afterMs, await lastSeen(now + afterMs)]).toEqual([afterMs, now + storedMs])
    }
  })

  test('ends when it was not used for 12 hours', async () => {
    await store.sessions.insert(newSession('ses_1'), secret)
    const first = now + sessionIdleMs - 1
    expect(await store.sessions.find(secret, first + 1)).toBeUndefined()
    expect(await store.sessions.list(person.id, first + 1)).toEqual([])
    expect(await store.sessions.find(secret, first)).toBeDefined()
    expect(await store.sessions.find(secret, first + sessionIdleMs - 1)).toBeDefined()
  })

  test('ends after 7 days, although it is used', async () => {
    await store.sessions.insert(newSession('ses_1'), secret)
    for (let at = now; at < now + sessionMs; at += sessionIdleMs / 2) {
      expect(await store.sessions.find(secret, at)).toBeDefined()
    }
    expect(await store.sessions.find(secret, now + sessionMs - 1)).toBeDefined()
    expect(await store.sessions.find(secret, now + sessionMs)).toBeUndefined()
  })

  test('lists the newest first, and ends one or all', async () => {
    for (const number of [1, 2, 3])
      await store.sessions.insert(newSession(`ses_${number}`, now + number), hashSecret(`${number}`))
    expect((await store.sessions.list(person.id, now + 3)).map(({ id }) => id)).toEqual(['ses_3', 'ses_2', 'ses_1'])
    expect(await store.sessions.end('ses_2')).toBe(true)
    expect(await store.sessions.end('ses_2')).toBe(false)
    expect(await store.sessions.find(hashSecret('2'), now + 3)).toBeUndefined()
    expect(await store.sessions.endAll(person.id)).toBe(2)
    expect(await store.sessions.find(hashSecret('1'), now + 3)).toBeUndefined()
    expect(await store.sessions.endAll(person.id)).toBe(0)
  })

  test('a new session clears those that have ended', async () => {
    await store.sessions.insert(newSession('ses_1'), secret)
    await store.sessions.insert(newSession('ses_2', now + sessionIdleMs - 1), hashSecret('2'))
    await store.sessions.insert(newSession('ses_3', now + sessionIdleMs), hashSecret('3'))
    expect(await stores.run('SELECT id FROM sessions ORDER BY id')).toEqual([{ id: 'ses_2' }, { id: 'ses_3' }])
  })
})

test('while the database is locked, a session is found at once, and its time of use is stored afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-sessions-'))
  const store = openStore(folder)
  await store.people.insert(person)
  const lastSeen = async (at: number) => (await store.sessions.list(person.id, at))[0]?.lastSeenAt
  await store.sessions.insert(newSession('ses_1'), secret)
  const serving = openServingStore(folder)
  const other = new Database(join(folder, 'quire.db'))
  other.exec('BEGIN IMMEDIATE')
  try {
    const at = now + 60_000
    // The result is no promise, so nothing was waited for.
    expect(serving.sessions.find(secret, at)).toMatchObject({ person: { id: 'usr_1' } })
    expect(await lastSeen(at)).toBe(now)
    other.exec('ROLLBACK')
    await expect.poll(() => lastSeen(at)).toBe(at)
  } finally {
    other.close()
    serving.close()
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
