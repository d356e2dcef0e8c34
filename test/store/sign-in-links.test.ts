import { expect, test } from 'vitest'
import { createSecret, hashSecret, signInLinkMs } from '../../server/tenancy/sign-in.ts'
import { shareTests, type TestStore } from './stores.ts'

const now = Date.UTC(2026, 10, 23)
const person = { id: 'usr_1', organizationId: null, name: 'operator', createdAt: now }

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await store.people.insert(person)
})

async function insertLink(createdAt = now): Promise<{ secret: string; hash: Buffer }> {
  const secret = createSecret()
  const hash = hashSecret(secret)
  await store.signInLinks.insert({
    tokenSha256: hash,
    personId: person.id,
    createdAt,
    expiresAt: createdAt + signInLinkMs,
  })
  return { secret, hash }
}

stores.describe('sign-in links', () => {
  test('a link works once; looking at it does not use it up', async () => {
    const { hash } = await insertLink()
    expect(await store.signInLinks.find(hash, now)).toEqual(person)
    expect(await store.signInLinks.find(hash, now)).toEqual(person)
    expect(await store.signInLinks.take(hash, now)).toEqual(person)
    expect(await store.signInLinks.take(hash, now)).toBeUndefined()
    expect(await store.signInLinks.find(hash, now)).toBeUndefined()
  })

  test('of two processes that take a link, one gets the person', async () => {
    const { hash } = await insertLink()
    const other = await stores.openOther()
    const taken = await Promise.all([store.signInLinks.take(hash, now), other.signInLinks.take(hash, now)])
    expect(taken.filter(found => found !== undefined)).toEqual([person])
  })

  test('a link works until it expires', async () => {
    const { hash } = await insertLink()
    const last = now + signInLinkMs - 1
    expect(await store.signInLinks.find(hash, last)).toEqual(person)
    expect(await store.signInLinks.find(hash, last + 1)).toBeUndefined()
    expect(await store.signInLinks.take(hash, last + 1)).toBeUndefined()
    expect(await store.signInLinks.take(hash, last)).toEqual(person)
  })

  test('an unknown link has no person', async () => {
    expect(await store.signInLinks.find(hashSecret(createSecret()), now)).toBeUndefined()
    expect(await store.signInLinks.take(hashSecret(createSecret()), now)).toBeUndefined()
  })

  test('a new link clears the expired ones, and no file has the secret', async () => {
    await insertLink()
    const valid = await insertLink(now + signInLinkMs - 1)
    await insertLink(now + signInLinkMs)
    const rows = await stores.run('SELECT * FROM sign_in_links')
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain(valid.secret)
    expect(await store.signInLinks.find(valid.hash, now + signInLinkMs)).toEqual(person)
  })
})
