import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import type { Person } from '../../server/tenancy/person.ts'

let folder: string
let store: Store
const now = Date.UTC(2026, 10, 23)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-people-'))
  store = openStore(folder)
  for (const id of ['org_1', 'org_2']) {
    await store.organizations.insert({ id, name: 'Acme', plan: 'enterprise', createdAt: now })
  }
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function insert(id: string, organizationId: string | null, name: string): Person {
  const person = { id, organizationId, name, createdAt: now }
  store.people.insert(person)
  return person
}

test('lists everyone, the operators, or the members of an organization, by name', async () => {
  const grace = insert('usr_1', 'org_1', 'Grace')
  const ada = insert('usr_2', 'org_1', 'Ada')
  const operator = insert('usr_3', null, 'operator')
  const other = insert('usr_4', 'org_2', 'Ada')
  expect(await store.people.list()).toEqual([ada, other, grace, operator])
  expect(await store.people.list(null)).toEqual([operator])
  expect(await store.people.list('org_1')).toEqual([ada, grace])
  expect(await store.people.find('usr_4')).toEqual(other)
  expect(await store.people.find('usr_9')).toBeUndefined()
})

test.each([null, 'org_1'])('a second person with the same name in %s is refused', organizationId => {
  insert('usr_1', organizationId, 'Ada')
  expect(() => insert('usr_2', organizationId, 'Ada')).toThrow(
    expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }),
  )
})

test('a person of an unknown organization is refused', () => {
  expect(() => insert('usr_1', 'org_9', 'Ada')).toThrow(
    expect.objectContaining({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' }),
  )
})

test('delete takes the links and sessions with it, and says whether there was a person', async () => {
  const ids = ['usr_1', 'usr_2']
  for (const [index, id] of ids.entries()) {
    insert(id, 'org_1', id)
    const secret = Buffer.alloc(32, index)
    await store.signInLinks.insert({ tokenSha256: secret, personId: id, createdAt: now, expiresAt: now + 1000 })
    const session = { id: `ses_${index}`, personId: id, createdAt: now, lastSeenAt: now, expiresAt: now + 1000 }
    await store.sessions.insert({ ...session, address: '203.0.113.9' }, secret)
  }
  expect(await store.people.delete('usr_1')).toBe(true)
  expect(await store.people.delete('usr_1')).toBe(false)
  expect(await store.signInLinks.find(Buffer.alloc(32, 0), now)).toBeUndefined()
  expect(await store.sessions.find(Buffer.alloc(32, 0), now)).toBeUndefined()
  expect(await store.signInLinks.find(Buffer.alloc(32, 1), now)).toMatchObject({ id: 'usr_2' })
  expect(await store.sessions.list('usr_2', now)).toHaveLength(1)
})
