import { expect, test } from 'vitest'
import type { NounsInSteps } from '../../server/store/nouns.ts'
import { shareTests, type TestStore } from './stores.ts'

const now = Date.UTC(2026, 10, 23)
let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
})

const organization = (id: string) => ({ id, name: 'Acme', plan: 'standard' as const, createdAt: now })
const event = (subject: string) => ({
  at: now,
  organizationId: null,
  action: 'organization.created' as const,
  subject,
  detail: null,
  actor: 'ada',
  address: 'host-1',
})
const listed = async () => ({
  organizations: (await store.organizations.list()).map(({ id }) => id),
  events: (await store.auditLog.list({ limit: 10 })).map(({ subject }) => subject),
})
/** Inserts an organization and its event; without a subject, the event is refused. */
const insert = (id: string, subject: string | null) =>
  function* ({ organizations, auditLog }: NounsInSteps) {
    yield* organizations.insert(organization(id))
    yield* auditLog.append({ ...event(id), subject: subject as string })
    return (yield* organizations.list()).length
  }

stores.describe('a transaction', () => {
  test('makes all changes, sees its own, and gives what the work returns', async () => {
    expect(await store.atomically(insert('org_1', 'org_1'))).toBe(1)
    expect(await store.atomically(({ organizations }) => organizations.updatePlan('org_1', 'enterprise'))).toBe(true)
    expect(await listed()).toEqual({ organizations: ['org_1'], events: ['org_1'] })
  })

  test('makes none if a step fails', async () => {
    await expect((async () => store.atomically(insert('org_1', null)))()).rejects.toMatchObject({
      code: stores.codes.notNull,
    })
    expect(await listed()).toEqual({ organizations: [], events: [] })
    expect(await store.atomically(insert('org_1', 'org_1'))).toBe(1)
  })

  test('makes none if the work throws', async () => {
    const work = function* ({ organizations }: NounsInSteps) {
      yield* organizations.insert(organization('org_1'))
      throw new Error('no')
    }
    await expect((async () => store.atomically(work))()).rejects.toThrow('no')
    expect(await listed()).toEqual({ organizations: [], events: [] })
  })

  test('takes methods that are transactions themselves', async () => {
    await store.people.insert({ id: 'usr_1', organizationId: null, name: 'Ada', createdAt: now })
    const token = Buffer.alloc(32, 1)
    const work = (fails: boolean) =>
      function* ({ people, signInLinks, auditLog }: NounsInSteps) {
        yield* signInLinks.insert({ tokenSha256: token, personId: 'usr_1', createdAt: now, expiresAt: now + 1 })
        const person = yield* signInLinks.take(token, now)
        yield* people.delete('usr_1')
        yield* auditLog.append({ ...event('usr_1'), subject: (fails ? null : 'usr_1') as string })
        return person?.name
      }
    await expect((async () => store.atomically(work(true)))()).rejects.toBeDefined()
    expect(await store.people.find('usr_1')).toMatchObject({ name: 'Ada' })
    expect(await store.atomically(work(false))).toBe('Ada')
    expect(await store.people.list()).toEqual([])
  })

  test('makes none if a step lacks yield*', async () => {
    const work = function* ({ organizations }: NounsInSteps) {
      organizations.insert(organization('org_1'))
      yield* organizations.insert(organization('org_2'))
    }
    await expect((async () => store.atomically(work))()).rejects.toThrow('1 of the steps of a transaction lack yield*')
    expect((await listed()).organizations).toEqual([])
  })
})
