import { expect, test } from 'vitest'
import { shareTests, type TestStore } from './stores.ts'
import { ids, insertOrganizations, now } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
})

stores.describe('organizations', () => {
  test('organizations are listed by age, then by the bytes of their ids', async () => {
    expect(ids(await store.organizations.list())).toEqual(['org_B', 'org_b', 'org_a'])
  })

  test('the plan of an organization changes; an unknown one has none', async () => {
    expect(await store.organizations.updatePlan('org_a', 'enterprise')).toBe(true)
    const changed = { id: 'org_a', name: 'Acme', plan: 'enterprise', createdAt: now + 1 }
    expect(await store.organizations.find('org_a')).toEqual(changed)
    expect(await store.organizations.updatePlan('org_x', 'enterprise')).toBe(false)
    expect(await store.organizations.find('org_x')).toBeUndefined()
  })
})
