import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { lockDatabase } from '../support/lock-database.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

// Another process holds the write lock of the database, as a long import or an operator's shell does.

let dataFolder: string
let server: ServeProcess
let lock: { unlock(): Promise<void> }
let projectId: string
let headers: Record<string, string>
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-locked-'))
  const store = openStore(dataFolder)
  const organization = await createOrganization(store)
  projectId = organization.projectId
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: 'http://127.0.0.1:9/', createdAt: 0 })
  const { key } = await createApiKey(store, organization.organizationId)
  store.close()
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  server = await startServe(['--data', dataFolder, '--validate-responses'])
  lock = await lockDatabase(join(dataFolder, 'quire.db'))
})
afterEach(async () => {
  await lock.unlock()
  await server.end('SIGTERM')
  await rm(dataFolder, { recursive: true, force: true })
})

const startExport = () =>
  send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body: '{"domain":"docs.example.com"}' })
const findJob = (jobId: unknown) => send(server.url, `/v1/static-export/jobs/${jobId}`, { headers })
const countVisitors = () => send(server.url, `/v1/analytics/${projectId}/visitors`, { headers })

test('reads are answered while a write waits, and the write is stored when the lock ends', async () => {
  let isStarted = false
  const started = startExport().finally(() => {
    isStarted = true
  })
  for (let i = 0; i < 10; i++) {
    expect((await send(server.url, '/healthz')).status).toBe(200)
    expect((await countVisitors()).status).toBe(200)
    expect((await findJob('se_0000000000000000')).status).toBe(404)
  }
  expect((await send(server.url, '/readyz')).status).toBe(503)
  expect(isStarted).toBe(false)
  await lock.unlock()
  const { status, json } = await started
  expect(status).toBe(202)
  expect((await findJob(json.jobId)).status).toBe(200)
  // The requests that were counted in memory are written, too: 10 of 100 are spent.
  expect((await countVisitors()).headers.ratelimit).toContain('r=89;')
})

test('a write that waits too long is answered with 503 and Retry-After, and nothing is stored', async () => {
  const { status, headers: answered, json } = await startExport()
  expect(status).toBe(503)
  expect(answered['retry-after']).toBe('5')
  expect(json).toMatchObject({
    code: 'database_unavailable',
    error: 'The database of the server is locked by another process. Nothing was changed. Try again in 5 seconds.',
  })
  await lock.unlock()
  const { stdout } = await runQuire(['exports', 'list', '--data', dataFolder, '--json'])
  expect(JSON.parse(stdout)).toEqual([])
})

test('a command waits for the lock', async () => {
  const ended = runQuire(['orgs', 'create', 'Late', '--data', dataFolder])
  // Longer than a request waits.
  await startExport()
  await lock.unlock()
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^org_/) })
})
