import { expect, test } from 'vitest'
import { shareTests, type TestStore } from './stores.ts'
import { insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  await store.projects.insert(project('prj_a'))
})

stores.describe('sites', () => {
  test('a site is read as it was stored and changed', async () => {
    const site = { domain: 'docs.example.com', projectId: 'prj_a', origin: null, createdAt: now }
    await store.sites.insert(site)
    await store.sites.insert({ ...site, domain: 'a.example.com' })
    expect(await store.sites.find('docs.example.com')).toEqual({
      ...site,
      removal: null,
      allowedOrigins: [],
      signingKeyId: null,
      loginAt: null,
    })
    const removal = { selectors: ['#chat'], urls: [], keepSelectors: [], keepUrls: [] } as never
    expect(await store.sites.updateOrigin('docs.example.com', 'http://127.0.0.1:8080/')).toBe(true)
    expect(await store.sites.updateRemoval('docs.example.com', removal)).toBe(true)
    expect(await store.sites.updateAllowedOrigins('docs.example.com', ['http://10.0.0.1'])).toBe(true)
    expect(await store.sites.findOwned('org_a', 'docs.example.com')).toMatchObject({
      origin: 'http://127.0.0.1:8080/',
      removal: { selectors: ['#chat'] },
      allowedOrigins: ['http://10.0.0.1'],
    })
    await store.sites.updateAllowedOrigins('docs.example.com', [])
    await store.sites.updateRemoval('docs.example.com', null)
    expect(await store.sites.find('docs.example.com')).toMatchObject({ removal: null, allowedOrigins: [] })
    expect(await store.sites.findOwned('org_b', 'docs.example.com')).toBeUndefined()
    expect((await store.sites.list('org_a')).map(({ domain }) => domain)).toEqual(['a.example.com', 'docs.example.com'])
    expect(await store.sites.list('org_b')).toEqual([])
    const key = { id: '0123456789abcdef', sealed: Buffer.from([1, 2, 3]) }
    expect(await store.sites.updateSigningKey('docs.example.com', key)).toBe(true)
    expect(await store.sites.findSigningKey('docs.example.com')).toEqual(key)
    expect(await store.sites.findOwned('org_a', 'docs.example.com')).toMatchObject({ signingKeyId: key.id })
    expect(await store.sites.findSigningKey('a.example.com')).toBeUndefined()
    await store.sites.updateSigningKey('docs.example.com', null)
    expect(await store.sites.findSigningKey('docs.example.com')).toBeUndefined()
    expect(await store.sites.findLogin('docs.example.com')).toBeUndefined()
    const sealed = Buffer.from([1, 2, 255])
    expect(await store.sites.updateLogin('docs.example.com', { sealed, at: 7 })).toBe(true)
    expect(await store.sites.findLogin('docs.example.com')).toEqual(sealed)
    expect(await store.sites.find('docs.example.com')).toMatchObject({ loginAt: 7 })
    expect(await store.sites.updateLogin('docs.example.com', null)).toBe(true)
    expect(await store.sites.findLogin('docs.example.com')).toBeUndefined()
    expect(await store.sites.updateLogin('gone.example.com', null)).toBe(false)
    expect(await store.sites.delete('docs.example.com')).toBe(true)
    expect(await store.sites.delete('docs.example.com')).toBe(false)
    expect(await store.sites.updateOrigin('docs.example.com', null)).toBe(false)
  })
})
