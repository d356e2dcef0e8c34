import { describe, expect, test } from 'vitest'
import type { ListPart } from '../../server/tenancy/list-part.ts'
import { shareTests, type TestStore } from './stores.ts'

const names = ['Zürich', 'berlin', 'Bern', '100 %', 'a_b', 'Bern 2']

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  for (const org of ['org_1', 'org_2']) {
    await store.organizations.insert({ id: org, name: `Acme ${org}`, plan: 'standard', createdAt: 1 })
    for (const [index, name] of names.entries()) {
      const id = `${org}_${index}`
      const common = { organizationId: org, name, createdAt: index }
      await store.projects.insert({ id: `prj_${id}`, ...common, visitorSaltRotation: 'never', visitorRules: 2 })
      const domain = `d${index}.${org.replace('_', '-')}.example.com`
      await store.sites.insert({ domain, projectId: `prj_${id}`, origin: null, createdAt: 1 })
      await store.people.insert({ id: `usr_${id}`, ...common })
      const none = { expiresAt: null, revokedAt: null, lastUsedAt: null }
      const key = { id: `key_${id}`, ...common, scopes: ['read'] as 'read'[], last4: `xY0${index}`, ...none }
      await store.apiKeys.insert(key, Buffer.from(id.padEnd(32)))
    }
  }
})

const ask = (contains: string, limit = 50, offset = 0): ListPart => ({ contains, limit, offset })
const lists: Record<string, (part: ListPart) => Promise<{ count: number; names: string[] }>> = {
  projects: async part => toNames(await store.projects.listPart('org_1', part)),
  sites: async part => {
    const { rows, count } = await store.sites.listPart('org_1', part)
    return { count, names: rows.map(({ projectName }) => projectName) }
  },
  people: async part => toNames(await store.people.listPart('org_1', part)),
  keys: async part => toNames(await store.apiKeys.listPart('org_1', part)),
}

function toNames({ rows, count }: { rows: { name: string }[]; count: number }) {
  return { count, names: rows.map(({ name }) => name) }
}

stores.describe('parts of lists', () => {
  describe.each(Object.entries(lists))('the list of %s', (_, list) => {
    test('has all rows of one organization in parts', async () => {
      const whole = await list(ask(''))
      expect(whole.count).toBe(6)
      expect(whole.names.toSorted()).toEqual(names.toSorted())
      const parts = [await list(ask('', 4)), await list(ask('', 4, 4)), await list(ask('', 4, 8))]
      expect(parts.flatMap(part => part.names)).toEqual(whole.names)
      expect(parts.map(({ count }) => count)).toEqual([6, 6, 6])
    })

    test.each([
      ['BER', ['Bern', 'Bern 2', 'berlin']],
      ['ZÜR', ['Zürich']],
      ['zu\u0308r', ['Zürich']],
      ['%', ['100 %']],
      ['_b', ['a_b']],
      ["' OR 1 --", []],
    ])('finds %s', async (contains, found) => {
      const { names, count } = await list(ask(contains))
      expect(names.toSorted()).toEqual(found)
      expect(count).toBe(found.length)
      expect((await list(ask(contains, 1))).count).toBe(found.length)
    })
  })

  test('keys are found by their last characters, projects and organizations by id, sites by domain', async () => {
    expect(toNames(await store.apiKeys.listPart('org_1', ask('Xy03'))).names).toEqual(['100 %'])
    expect(toNames(await store.projects.listPart('org_1', ask('prj_org_1_2'))).names).toEqual(['Bern'])
    expect((await store.sites.listPart('org_1', ask('D4.'))).rows).toMatchObject([{ projectName: 'a_b' }])
    expect(toNames(await store.organizations.listPart(ask('ORG_2'))).names).toEqual(['Acme org_2'])
  })

  test('keys are listed newest first, projects oldest first, people and sites by name', async () => {
    const first = async (name: string) => (await lists[name]?.(ask('', 1)))?.names[0]
    expect(await Promise.all(['keys', 'projects', 'people', 'sites'].map(first))).toEqual([
      'Bern 2',
      'Zürich',
      '100 %',
      'Zürich',
    ])
  })

  test('a person is found by the name, operators apart', async () => {
    expect(await store.people.findNamed('org_2', 'Bern')).toMatchObject({ id: 'usr_org_2_2' })
    expect(await store.people.findNamed(null, 'Bern')).toBeUndefined()
  })

  test('sites are counted by project', async () => {
    expect(await store.sites.count('prj_org_1_0')).toBe(1)
    expect(await store.sites.count('prj_none')).toBe(0)
  })
})
