import { expect, test } from 'vitest'
import type { ApiKey } from '../../server/tenancy/api-key.ts'
import { shareTests, type TestStore } from './stores.ts'
import { insertOrganizations, now } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
})

stores.describe('API keys', () => {
  const key = (id: string, fields: Partial<ApiKey> = {}): ApiKey => ({
    id,
    organizationId: 'org_a',
    name: 'ci',
    last4: 'abcd',
    scopes: ['read', 'write'],
    projectIds: [],
    allowedAddresses: [],
    createdAt: now,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...fields,
  })
  const secret = Buffer.alloc(32, 1)

  test('a key names its caller until it expires', async () => {
    await store.apiKeys.insert(key('key_1', { expiresAt: now + 100 }), secret)
    expect(await store.apiKeys.authenticate(secret, now + 99)).toEqual({
      keyId: 'key_1',
      keyName: 'ci',
      last4: 'abcd',
      organizationId: 'org_a',
      plan: 'standard',
      scopes: ['read', 'write'],
      projectIds: null,
      allowedAddresses: [],
    })
    expect(await store.apiKeys.authenticate(secret, now + 100)).toBeUndefined()
    expect(await store.apiKeys.authenticate(Buffer.alloc(32, 2), now)).toBeUndefined()
  })

  test('a key keeps its projects and its addresses', async () => {
    const bounds = { projectIds: ['prj_b', 'prj_a'], allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] }
    const bound = key('key_1', { scopes: ['ingest'], ...bounds })
    await store.apiKeys.insert(bound, secret)
    expect(await store.apiKeys.authenticate(secret, now)).toMatchObject({ scopes: ['ingest'], ...bounds })
    expect(await store.apiKeys.findOwned('org_a', 'key_1')).toEqual({ ...bound, lastUsedAt: now })
    const part = { contains: 'ci', limit: 1, offset: 0 }
    expect((await store.apiKeys.listPart('org_a', part)).rows).toEqual([{ ...bound, lastUsedAt: now }])
  })

  test('a key may expire earlier, and never later', async () => {
    await store.apiKeys.insert(key('key_1'), secret)
    expect(await store.apiKeys.expire('key_1', now + 50)).toBe(true)
    expect(await store.apiKeys.expire('key_1', now + 60)).toBe(false)
    expect(await store.apiKeys.list('org_a')).toEqual([key('key_1', { expiresAt: now + 50 })])
    await store.apiKeys.revoke('key_1', now)
    expect(await store.apiKeys.expire('key_1', now + 5)).toBe(false)
    expect(await store.apiKeys.expire('key_2', now + 5)).toBe(false)
  })

  test('a revoked key is refused, and is revoked once', async () => {
    await store.apiKeys.insert(key('key_1'), secret)
    expect(await store.apiKeys.revoke('key_1', now - 5)).toBe(true)
    expect(await store.apiKeys.revoke('key_1', now + 5)).toBe(false)
    expect(await store.apiKeys.authenticate(secret, now)).toBeUndefined()
    expect(await store.apiKeys.list('org_a')).toEqual([key('key_1', { revokedAt: now })])
  })

  test('the time of use is stored once a minute', async () => {
    await store.apiKeys.insert(key('key_1'), secret)
    for (const [afterMs, storedMs] of [
      [0, 0],
      [59_999, 0],
      [60_000, 60_000],
      [119_999, 60_000],
      [-60_001, -60_001],
    ] as const) {
      await store.apiKeys.authenticate(secret, now + afterMs)
      expect([afterMs, (await store.apiKeys.list())[0]?.lastUsedAt]).toEqual([afterMs, now + storedMs])
    }
  })
})
