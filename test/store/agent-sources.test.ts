import { expect, test } from 'vitest'
import type { AgentSource } from '../../server/agent/agent-source.ts'
import { shareTests, type TestStore } from './stores.ts'
import { insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  await store.projects.insert(project('prj_a'))
})

const source: AgentSource = {
  projectId: 'prj_a',
  url: 'ssh://git@git.example.com/acme/docs',
  page: 'https://git.example.com/acme/docs',
  branch: 'main',
  folders: ['docs', 'guides/en'],
  forge: 'gitlab',
  isDraft: true,
}

stores.describe('sources of agents', () => {
  test('a source is replaced, and its credential stays unless another or none is given', async () => {
    const bytes = Buffer.from('sealed')
    await store.agentSources.put(source, bytes)
    expect(await store.agentSources.find('prj_a')).toEqual(source)
    const next = { ...source, folders: [], isDraft: false, forge: 'branch' } as const
    await store.agentSources.put(next, undefined)
    expect(await store.agentSources.find('prj_a')).toEqual(next)
    expect(Buffer.from((await store.agentSources.findCredential('prj_a')) ?? [])).toEqual(bytes)
    await store.agentSources.put(next, null)
    expect(await store.agentSources.findCredential('prj_a')).toBeNull()
    expect(await store.agentSources.delete('prj_a')).toBe(true)
    expect(await store.agentSources.delete('prj_a')).toBe(false)
    expect(await store.agentSources.find('prj_a')).toBeUndefined()
  })

  test('a deleted project takes its source along', async () => {
    await store.agentSources.put(source, null)
    await store.projectRemoval.finish('prj_a', now)
    expect(await store.agentSources.find('prj_a')).toBeUndefined()
  })
})
