import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { type RawAnswer, send } from '../support/client.ts'
import { lockDatabase } from '../support/lock-database.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { percentile, startLoad } from '../support/steady-load.ts'

const lockMs = 20_000
const importedJobs = 200_000
const maxP99Ms = 50
/** The bound of the issue is 5 s; the load generator and the machine get the rest. */
const maxAnswerMs = 5_500

let dataFolder: string
let store: Store
let server: ServeProcess
let projectId: string
let headers: Record<string, string>
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-locked-long-'))
  store = openStore(dataFolder)
  const organization = await createOrganization(store)
  projectId = organization.projectId
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: 'http://127.0.0.1:9/', createdAt: 0 })
  const { key } = await createApiKey(store, organization.organizationId)
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  server = await startServe(['--data', dataFolder])
})
afterEach(async () => {
  await server.end('SIGTERM')
  store.close()
  await rm(dataFolder, { recursive: true, force: true })
})

/** Starts exports at a steady rate until `stop` is called. */
function startWrites(everyMs: number) {
  const answers: Promise<RawAnswer & { tookMs: number }>[] = []
  const body = '{"domain":"docs.example.com"}'
  const timer = setInterval(() => {
    const sentAt = performance.now()
    const answer = send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
    answers.push(answer.then(answer => ({ ...answer, tookMs: performance.now() - sentAt })))
  }, everyMs)
  return {
    stop() {
      clearInterval(timer)
      return Promise.all(answers)
    },
  }
}

/** Starts 40 requests a second: /healthz, and reads of the API. */
function startReads() {
  const analytics = `/v1/analytics/${projectId}/visitors`
  const health = startLoad({ url: server.url, perSecond: 20, requests: [{ path: '/healthz' }] })
  const reads = startLoad({
    url: server.url,
    perSecond: 20,
    requests: [
      { path: '/v1/static-export/jobs/se_0000000000000000', headers },
      { path: analytics, headers },
    ],
  })
  return { stop: () => Promise.all([health.stop(), reads.stop()]) }
}

test(`while another process holds the lock for ${lockMs / 1000} s, everything is answered and nothing is lost`, async () => {
  const lock = await lockDatabase(join(dataFolder, 'quire.db'))
  const reading = startReads()
  const writing = startWrites(100)
  await pause(lockMs)
  await lock.unlock()
  await pause(1000)
  const [health, reads] = await reading.stop()
  const writes = await writing.stop()

  console.log(`healthz p50 ${percentile(health.latencies, 0.5)} ms, p99 ${percentile(health.latencies, 0.99)} ms`)
  console.log(`slowest write ${Math.max(...writes.map(({ tookMs }) => tookMs))} ms`)
  expect({ broken: [health.broken, reads.broken], statuses: Object.keys(health.statuses) }).toEqual({
    broken: [{}, {}],
    statuses: ['200'],
  })
  expect(percentile(health.latencies, 0.99)).toBeLessThan(maxP99Ms)
  // The project has 100 analytics requests and spends them all; the limit holds while it is counted in memory.
  expect(reads.statuses[200]).toBeGreaterThanOrEqual(100)
  expect(reads.statuses[200]).toBeLessThanOrEqual(101)
  expect(Object.keys(reads.statuses)).toEqual(['200', '404', '429'])

  const accepted = writes.filter(({ status }) => status === 202)
  const refused = writes.filter(({ status }) => status === 503)
  expect(accepted.length + refused.length).toBe(writes.length)
  expect(refused.every(({ headers }) => headers['retry-after'] === '5')).toBe(true)
  expect(accepted.length).toBeGreaterThan(0)
  expect(refused.length).toBeGreaterThan(0)
  expect(Math.max(...writes.map(({ tookMs }) => tookMs))).toBeLessThan(maxAnswerMs)
  const stored = (await store.exportJobs.list({})).map(({ jobId }) => jobId)
  expect(stored.sort()).toEqual(accepted.map(({ json }) => String(json.jobId)).sort())
})

test(`an import of ${importedJobs} agent jobs keeps neither reads nor writes waiting`, async () => {
  const file = join(dataFolder, 'jobs.jsonl')
  const line = (i: number) =>
    JSON.stringify({
      id: `aj_${i}`,
      status: 'failed',
      source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
      model: 'writer-2',
      prLink: null,
      createdAt: '2026-11-20T10:00:00Z',
    })
  await writeFile(file, Array.from({ length: importedJobs }, (_, i) => `${line(i)}\n`).join(''))
  const reading = startReads()
  const writing = startWrites(200)
  const { code, stdout } = await runQuire(['agent-jobs', 'import', file, '--project', projectId, '--data', dataFolder])
  const [health] = await reading.stop()
  const writes = await writing.stop()

  console.log(`healthz p99 ${percentile(health.latencies, 0.99)} ms, ${writes.length} writes`)
  console.log(`slowest write ${Math.max(...writes.map(({ tookMs }) => tookMs))} ms`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${importedJobs} jobs imported, 0 existed already.\n` })
  expect(writes.length).toBeGreaterThan(0)
  expect(writes.filter(({ status }) => status !== 202)).toEqual([])
  expect(percentile(health.latencies, 0.99)).toBeLessThan(maxP99Ms)
})
