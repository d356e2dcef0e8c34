import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAddressRange } from '../../server/base/address-range.ts'
import { send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let organizationId: string
let projectId: string
beforeAll(async () => {
  const trustedProxies = ['127.0.0.1'].flatMap(text => parseAddressRange(text) ?? [])
  server = await startTestServer({ trustedProxies })
  ;({ organizationId, projectId } = await createOrganization(server.store))
})
afterAll(() => server.dispose())

/** Asks for an agent job that does not exist, from an address that the proxy names. */
async function ask(allowedAddresses: string[], from?: string) {
  const { key } = await createApiKey(server.store, organizationId, { allowedAddresses })
  return send(server.url, `/v2/agent/${projectId}/job/x`, {
    headers: { Authorization: `Bearer ${key}`, ...(from !== undefined && { 'X-Forwarded-For': from }) },
  })
}

test.each<{ allowed: string[]; from: string; status: number }>([
  { allowed: [], from: '198.51.100.7', status: 404 },
  { allowed: ['203.0.113.0/24'], from: '203.0.113.9', status: 404 },
  { allowed: ['203.0.113.0/24'], from: '203.0.114.9', status: 403 },
  { allowed: ['203.0.113.0/24'], from: '::ffff:203.0.113.9', status: 404 },
  { allowed: ['::ffff:203.0.113.0/120'], from: '203.0.113.9', status: 404 },
  { allowed: ['203.0.113.0/24', '2001:db8::/32'], from: '2001:db8::1', status: 404 },
  { allowed: ['203.0.113.0/24', '2001:db8::/32'], from: '2001:db9::1', status: 403 },
  { allowed: ['203.0.113.7'], from: '203.0.113.8', status: 403 },
  { allowed: ['203.0.113.0/24'], from: '203.0.113.9, 198.51.100.7', status: 403 },
])('a key for $allowed that comes from $from gets $status', async ({ allowed, from, status }) => {
  expect((await ask(allowed, from)).status).toBe(status)
})

test('the refusal names the address and the remedy', async () => {
  const { status, json } = await ask(['203.0.113.0/24'])
  expect({ status, json }).toEqual({
    status: 403,
    json: expect.objectContaining({
      error:
        'This API key may not be used from 127.0.0.1. Use it from an address that it allows, or create a key that allows this one.',
    }),
  })
})

test('a key whose stored ranges cannot be read is refused everywhere', async () => {
  expect((await ask(['nowhere'])).status).toBe(403)
})

test('a key that is revoked gets 401 from every address', async () => {
  const { key, keyId } = await createApiKey(server.store, organizationId, { allowedAddresses: ['203.0.113.0/24'] })
  await server.store.apiKeys.revoke(keyId, Date.now())
  const { status } = await send(server.url, '/v2/agent/x/job/x', { headers: { Authorization: `Bearer ${key}` } })
  expect(status).toBe(401)
})
