import { expect, test } from 'vitest'
import type { Steps } from '../../server/base/steps.ts'
import type { NounsInSteps } from '../../server/store/nouns.ts'
import { shareTests, type TestStore } from './stores.ts'

const now = Date.UTC(2026, 10, 23)
const organizationId = 'org_1'
let nodes: TestStore[]
const stores = shareTests(async ({ store, openOther }) => {
  nodes = [store, await openOther()]
  await store.organizations.insert({ id: organizationId, name: 'Acme', plan: 'standard', createdAt: now })
  await store.projects.insert(project('prj_1', 'Docs'))
})

const project = (id: string, name: string) => ({
  id,
  organizationId,
  name,
  visitorSaltRotation: 'never' as const,
  visitorRules: 2 as const,
  createdAt: now,
})

/** Inserts what two nodes at once must not both insert, unless it is there. */
const works: Record<string, (i: number) => (nouns: NounsInSteps) => Steps<boolean>> = {
  project: i =>
    function* ({ projects }) {
      if (yield* projects.findNamed(organizationId, 'Guide')) return false
      yield* projects.insert(project(`prj_x${i}`, 'Guide'))
      return true
    },
  person: i =>
    function* ({ people }) {
      if (yield* people.findNamed(organizationId, 'Ada')) return false
      yield* people.insert({ id: `usr_${i}`, organizationId, name: 'Ada', createdAt: now })
      return true
    },
  operator: i =>
    function* ({ people }) {
      if (yield* people.findNamed(null, 'Ada')) return false
      yield* people.insert({ id: `usr_${i}`, organizationId: null, name: 'Ada', createdAt: now })
      return true
    },
  site: () =>
    function* ({ sites }) {
      if (yield* sites.find('docs.example.com')) return false
      yield* sites.insert({ domain: 'docs.example.com', projectId: 'prj_1', origin: null, createdAt: now })
      return true
    },
}

/** Calls the nodes in turn, without waiting for the others. */
const race = <T>(times: number, call: (node: TestStore, i: number) => T | Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, async (_, i) => call(nodes[i % nodes.length] as TestStore, i)))

stores.describe('of many who insert the same at once', () => {
  test.each(Object.keys(works))('one inserts the %s, and the others find it', async name => {
    const inserted = await race(40, (node, i) => node.atomically((works[name] as (typeof works)[string])(i)))
    expect(inserted.filter(Boolean)).toHaveLength(1)
  })

  test('a person is deleted while others sign in', async () => {
    const person = { id: 'usr_1', organizationId, name: 'Ada', createdAt: now }
    for (let round = 0; round < 5; round += 1) {
      await stores.store.people.insert(person)
      const times = { createdAt: now, lastSeenAt: now, expiresAt: now + 1000 }
      const signIns = race(20, async (node, i) => {
        const session = { id: `ses_${round}_${i}`, personId: person.id, ...times, address: '203.0.113.9' }
        return Promise.resolve()
          .then(() => node.sessions.insert(session, Buffer.alloc(32, `${round} ${i}`)))
          .catch((error: unknown) => error)
      })
      expect(await stores.store.people.delete(person.id)).toBe(true)
      // A sign-in after the deletion fails, because there is no such person.
      for (const result of await signIns) {
        if (result !== undefined) expect(result).toMatchObject({ code: stores.codes.foreignKey })
      }
      expect(await stores.store.people.list()).toEqual([])
    }
  })
})
