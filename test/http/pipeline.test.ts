import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.dispose())

const sealed = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

test.each([
  ['an answer', '/healthz', 200],
  ['a refusal', '/v2/agent/x/job/y', 401],
  ['an unknown path', '/nothing', 404],
])('%s has the headers of helmet', async (_, path, status) => {
  for (const round of ['first', 'second']) {
    const answer = await send(server.url, path)
    expect({ round, status: answer.status, headers: answer.headers }).toMatchObject({ round, status, headers: sealed })
    expect(answer.headers['x-powered-by']).toBeUndefined()
  }
})
