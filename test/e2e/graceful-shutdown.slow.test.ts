import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { shutDownCleanly } from '../support/shutdown-under-load.ts'

let dataFolder: string
let headers: Record<string, string>
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-graceful-'))
  const store = openStore(dataFolder)
  const { organizationId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  store.close()
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
})
afterEach(() => rm(dataFolder, { recursive: true, force: true }))

test('two shutdowns at 200 requests a second reset no connection', async () => {
  const requests = [
    { path: '/healthz' },
    { path: '/v1/static-export/jobs/se_0000000000000000', headers },
    { method: 'POST', path: '/v1/static-export/jobs', headers, body: '{"domain":"unknown.example.com"}' },
  ]
  for (let shutdown = 0; shutdown < 2; shutdown++) {
    const { result, exitCode } = await shutDownCleanly(dataFolder, requests)
    expect(result.broken).toEqual({})
    expect(Object.keys(result.statuses)).toEqual(['200', '400', '404'])
    // The load went on until nobody listened.
    expect(result.refused).toBeGreaterThan(0)
    expect(exitCode).toBe(0)
  }
})

test('after SIGTERM, /readyz answers 503 at once, and everything else is answered for the set time', async () => {
  const server = await startServe(['--data', dataFolder, '--drain-seconds', '2'])
  const ended = server.end('SIGTERM')
  let readyz = await send(server.url, '/readyz')
  while (readyz.status === 200) readyz = await send(server.url, '/readyz')
  expect(readyz).toMatchObject({ status: 503, json: { reason: 'shutting down' } })
  expect((await send(server.url, '/v1/static-export/jobs/se_0000000000000000', { headers })).status).toBe(404)
  expect(await ended).toBe(0)
})

test('a second signal ends the server at once', async () => {
  const server = await startServe(['--data', dataFolder, '--drain-seconds', '600'])
  server.child.kill('SIGTERM')
  while ((await send(server.url, '/readyz')).status === 200);
  expect(await server.end('SIGTERM')).toBe(1)
})
