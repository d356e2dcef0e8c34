import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { addAgentJob } from '../store/backup/data-folder.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { percentile, startLoad } from '../support/steady-load.ts'

const minutes = Number(process.env.QUIRE_TEST_SOAK_MINUTES ?? 2)
const perSecond = 300
const sampleMs = 1000
/** Share of the time in which caches fill and functions are compiled. */
const warmUpShare = 0.2
/** Share of the time whose median is compared. A shorter one may hit a moment right after a garbage collection. */
const windowShare = 0.4
/** In a few minutes, the state of the garbage collection changes the memory by a sixth. */
const maxGrowth = minutes < 10 ? 1.3 : 1.1

test(`${minutes} minutes at ${perSecond} requests a second break no connection, and memory stays`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-soak-'))
  const site = await startSite(20)
  const store = openStore(folder)
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: Date.now() })
  await addAgentJob(
    { agentJobs: { ...store.agentJobs, insert: job => store.agentJobs.insert({ ...job, projectId }) } },
    'aj_1',
  )
  store.close()
  const server = await startServe(['--data', folder])
  try {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const start = { method: 'POST', path: '/v1/static-export/jobs', body: '{"domain":"docs.example.com"}' }
    const replay = { ...start, headers: { ...headers, 'Idempotency-Key': 'soak' } }
    const { jobId } = (await send(server.url, replay.path, replay)).json
    const job = { path: `/v1/static-export/jobs/${jobId}`, headers }
    await waitFor(async () => (await send(server.url, job.path, job)).json.status === 'completed' || undefined)
    const link = { method: 'POST', path: `${job.path}/bundle`, headers }
    const { pathname, search } = new URL(String((await send(server.url, link.path, link)).json.bundleUrl))
    const requests = [
      { path: '/healthz' },
      { path: `/v2/agent/${projectId}/job/aj_1`, headers },
      job,
      { path: `/v1/analytics/${projectId}/visitors`, headers },
      replay,
      link,
      { path: pathname + search },
      { ...start, headers, body: '{"domain":"unknown.example.com"}' },
      { ...job, headers: {} },
      { path: '/docs/' },
    ]
    const load = startLoad({ url: server.url, perSecond, requests, keptShare: 0.8 })
    const memory: number[] = []
    for (const endsAt = Date.now() + minutes * 60_000; Date.now() < endsAt; await pause(sampleMs)) {
      memory.push(readMemory(server.child.pid as number))
    }
    const { statuses, refused, broken, latencies } = await load.stop()
    const early = median(memory, warmUpShare)
    const late = median(memory, 1 - windowShare)
    const p99 = percentile(latencies, 0.99).toFixed(1)
    console.log(
      `${Math.round(latencies.length / minutes / 60)} answers a second, p99 ${p99} ms, ${JSON.stringify(statuses)}; ` +
        `${early} MB after the warm-up, ${late} MB at the end: ${toMinutes(memory).join(', ')}`,
    )
    expect({ refused, broken }).toEqual({ refused: 0, broken: {} })
    expect(Object.keys(statuses)).toEqual(['200', '202', '400', '401', '429'])
    expect(late).toBeLessThan(early * maxGrowth)
    expect(await server.end('SIGTERM')).toBe(0)
  } finally {
    server.child.kill('SIGKILL')
    await site.close()
    await rm(folder, { recursive: true, force: true })
  }
}, 3_600_000)

/** Resident memory of a process in MB. */
function readMemory(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kib) / 1024)
}

/** The median memory of each minute. */
function toMinutes(memory: readonly number[]): number[] {
  const samples = 60_000 / sampleMs
  const starts = Array.from({ length: Math.ceil(memory.length / samples) }, (_, minute) => minute * samples)
  return starts.map(start => percentile(memory.slice(start, start + samples), 0.5))
}

function median(samples: readonly number[], fromShare: number): number {
  const from = Math.floor(samples.length * fromShare)
  return percentile(samples.slice(from, from + Math.ceil(samples.length * windowShare)), 0.5)
}
