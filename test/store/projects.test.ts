import { expect, test } from 'vitest'
import { usualCounting } from '../../server/tenancy/project.ts'
import { shareTests, type TestStore } from './stores.ts'
import { ids, insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
})

stores.describe('projects', () => {
  test('a project is found by its organization only, and needs one', async () => {
    await store.projects.insert(project('prj_b'))
    await store.projects.insert(project('prj_B'))
    await store.projects.insert(project('prj_a', 'org_b'))
    expect(await store.projects.findOwned('org_a', 'prj_b')).toEqual(project('prj_b'))
    expect(await store.projects.findOwned('org_b', 'prj_b')).toBeUndefined()
    expect(await store.projects.find('prj_b')).toEqual(project('prj_b'))
    expect(ids(await store.projects.list())).toEqual(['prj_B', 'prj_a', 'prj_b'])
    expect(ids(await store.projects.list('org_a'))).toEqual(['prj_B', 'prj_b'])
    const lost = async () => store.projects.insert(project('prj_c', 'org_x'))
    await expect(lost()).rejects.toMatchObject({ code: stores.codes.foreignKey })
  })

  test('a name can be changed', async () => {
    await store.projects.insert(project('prj_a'))
    expect(await store.projects.updateName('prj_a', 'Manual')).toBe(true)
    expect(await store.projects.find('prj_a')).toEqual({ ...project('prj_a'), name: 'Manual' })
    expect(await store.projects.updateName('prj_x', 'Manual')).toBe(false)
    expect(await store.organizations.updateName('org_a', 'Acme Europe')).toBe(true)
    expect(await store.organizations.find('org_a')).toMatchObject({ name: 'Acme Europe' })
    expect(await store.organizations.updateName('org_x', 'Acme')).toBe(false)
  })

  test('settings for counting replace those of before', async () => {
    await store.projects.insert({ ...project('prj_a'), visitorRules: 1 })
    const counting = {
      ...usualCounting,
      ownAddresses: ['203.0.113.0/24'],
      notPages: ['/a/*'],
      ai: 'assistants' as const,
    }
    await store.projects.setCounting('prj_a', counting)
    await store.projects.setVisitorRules('prj_a', 2)
    expect(await store.projects.find('prj_a')).toEqual({ ...project('prj_a'), visitorRules: 2, counting })
    await store.projects.setCounting('prj_a', { ...counting, ownAddresses: [] })
    expect((await store.projects.find('prj_a'))?.counting).toEqual({ ...counting, ownAddresses: [] })
  })

  test('an id with a NUL, as %00 in a path gives it, is unknown', async () => {
    await store.projects.insert(project('prj_a'))
    expect(await store.projects.findOwned('org_a', 'prj_a\0')).toBeUndefined()
    expect(await store.projects.find('\0')).toBeUndefined()
    expect(await store.agentJobs.find('prj_a', 'aj\0')).toBeUndefined()
    expect(await store.exportJobs.findOwned('org_a', 'se\0')).toBeUndefined()
    expect(await store.exportJobs.delete('se\0', now, false)).toBe('unknown')
  })
})
