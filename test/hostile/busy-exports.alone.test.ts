import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { keepExportsBusy } from '../support/busy-exports.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

// A real server whose exports compute for ever. The API of another organization does not notice, and the jobs end.

const requests = 1000
const p99Ms = 50
const withinMs = 5000

let folder: string
let store: Store
let server: ServeProcess
let site: Awaited<ReturnType<typeof startSite>>
let hostile: Awaited<ReturnType<typeof addOrganization>>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-busy-'))
  site = await startSite(100, { delayMs: 200 })
  store = openStore(join(folder, 'data'))
  hostile = await addOrganization()
  await store.sites.insert({
    domain: 'docs.example.com',
    projectId: hostile.projectId,
    origin: site.url,
    createdAt: Date.now(),
  })
})
afterEach(async () => {
  await server.end('SIGTERM')
  await site.close()
  store.close()
  await rm(folder, { recursive: true, force: true })
})

async function addOrganization() {
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  return { projectId, headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' } }
}

async function start(...flags: string[]): Promise<void> {
  const all = ['--data', join(folder, 'data'), '--lease-seconds', '2', '--exports-at-once', '2', ...flags]
  server = await startServe(all, { env: { NODE_OPTIONS: await keepExportsBusy(folder) } })
}

async function startExport(): Promise<string> {
  const body = '{"domain":"docs.example.com"}'
  const { json } = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers: hostile.headers, body })
  return String(json.jobId)
}

const untilStatus = (jobId: string, status: string) =>
  waitFor(async () => {
    const job = await store.exportJobs.find(jobId)
    return job?.status === status ? job : undefined
  })

test('an export that computes for ever slows down no request of others, and fails at its time limit', async () => {
  await start('--job-timeout-seconds', '15')
  const other = await addOrganization()
  const jobId = await startExport()
  await untilStatus(jobId, 'running')
  const at = performance.now()
  const next = await startExport()
  const durations: number[] = []
  while (durations.length < requests) {
    const from = performance.now()
    const { status } = await send(server.url, `/v2/agent/${other.projectId}/job/none`, other)
    durations.push(performance.now() - from)
    expect(status).toBe(404)
    if (durations.length % 10 === 0) await new Promise(done => setTimeout(done, 50))
  }
  const p99 = durations.sort((a, b) => a - b)[Math.floor(requests * 0.99)] ?? 0
  console.log(`p99 of ${requests} requests: ${p99.toFixed(1)} ms, longest ${durations.at(-1)?.toFixed(1)} ms`)
  expect(p99).toBeLessThan(p99Ms)
  expect((await untilStatus(jobId, 'failed')).error).toContain('longer than its limit of 15 seconds')
  expect(performance.now() - at).toBeLessThan(15_000 + withinMs)
  await untilStatus(next, 'running')
  await waitFor(async () => ((await readdir(join(folder, 'data/work'))).length === 1 ? true : undefined))
})

test('an export that gives no sign of life twice fails', async () => {
  await start('--export-stall-seconds', '3')
  const jobId = await startExport()
  expect((await untilStatus(jobId, 'failed')).error).toContain('did not respond for 3 seconds')
  expect(await readdir(join(folder, 'data/work'))).toEqual([])
})

/** Starts the server, and returns how long it took until it answered. */
async function timeStart(...flags: string[]): Promise<number> {
  const at = performance.now()
  await start(...flags)
  expect((await send(server.url, '/healthz', {})).status).toBe(200)
  return performance.now() - at
}

test('after kill -9 of the server, it answers within 2 seconds, and gives up the job', async () => {
  const idleMs = await timeStart('--job-timeout-seconds', '10')
  const jobId = await startExport()
  await untilStatus(jobId, 'running')
  await new Promise(done => setTimeout(done, 2000))
  await server.end('SIGKILL')
  const tookMs = await timeStart('--job-timeout-seconds', '10')
  console.log(`answered after ${Math.round(tookMs)} ms, without an export after ${Math.round(idleMs)} ms`)
  // A busy machine takes longer for every start.
  expect(tookMs).toBeLessThan(Math.max(2000, 2 * idleMs))
  const job = await untilStatus(jobId, 'failed')
  expect(job.error).toContain('longer than its limit of 10 seconds')
})
