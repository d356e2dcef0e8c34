import { expect, test } from 'vitest'
import type { Person } from '../../server/tenancy/person.ts'
import { shareTests } from './stores.ts'

const now = Date.UTC(2026, 10, 23)

const stores = shareTests(async ({ store }) => {
  for (const id of ['org_1', 'org_2']) {
    await store.organizations.insert({ id, name: 'Acme', plan: 'enterprise', createdAt: now })
  }
})

async function insert(id: string, organizationId: string | null, name: string): Promise<Person> {
  const person = { id, organizationId, name, createdAt: now }
  await stores.store.people.insert(person)
  return person
}

stores.describe('people', () => {
  test('lists everyone, the operators, or the members of an organization, by name', async () => {
    const { store } = stores
    const grace = await insert('usr_1', 'org_1', 'Grace')
    const ada = await insert('usr_2', 'org_1', 'Ada')
    const operator = await insert('usr_3', null, 'operator')
    const other = await insert('usr_4', 'org_2', 'Ada')
    const lower = await insert('usr_5', null, 'ada')
    expect(await store.people.list()).toEqual([ada, other, grace, lower, operator])
    expect(await store.people.list(null)).toEqual([lower, operator])
    expect(await store.people.list('org_1')).toEqual([ada, grace])
    expect(await store.people.find('usr_4')).toEqual(other)
    expect(await store.people.find('usr_9')).toBeUndefined()
  })

  test.each([null, 'org_1'])('a second person with the same name in %s is refused', async organizationId => {
    await insert('usr_1', organizationId, 'Ada')
    await expect(insert('usr_2', organizationId, 'Ada')).rejects.toMatchObject({ code: stores.codes.unique })
  })

  test('a person of an unknown organization is refused', async () => {
    await expect(insert('usr_1', 'org_9', 'Ada')).rejects.toMatchObject({ code: stores.codes.foreignKey })
  })

  test('delete takes the links and sessions with it, and says whether there was a person', async () => {
    const { store } = stores
    const ids = ['usr_1', 'usr_2']
    for (const [index, id] of ids.entries()) {
      await insert(id, 'org_1', id)
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
})
