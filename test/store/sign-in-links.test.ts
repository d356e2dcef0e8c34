import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { createSecret, hashSecret, signInLinkMs } from '../../server/tenancy/sign-in.ts'

let folder: string
let store: Store
const now = Date.UTC(2026, 10, 23)
const person = { id: 'usr_1', organizationId: null, name: 'operator', createdAt: now }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-links-'))
  store = openStore(folder)
  await store.people.insert(person)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
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
  const other = openStore(folder)
  try {
    const taken = await Promise.all([store.signInLinks.take(hash, now), other.signInLinks.take(hash, now)])
    expect(taken.filter(found => found !== undefined)).toEqual([person])
  } finally {
    other.close()
  }
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
  const database = new Database(join(folder, 'quire.db'), { readonly: true })
  expect(database.prepare('SELECT count(*) FROM sign_in_links').pluck().get()).toBe(2)
  expect(JSON.stringify(database.prepare('SELECT * FROM sign_in_links').all())).not.toContain(valid.secret)
  database.close()
  expect(await store.signInLinks.find(valid.hash, now + signInLinkMs)).toEqual(person)
})
