import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../server/store/open-postgres.ts'
import type { Store } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { type Cluster, findPrograms, makeCluster } from '../support/postgres/start-postgres.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

const programs = findPrograms()
/** Each takes 0.4 s, one after the other, so the export runs until all restarts are over. */
const pages = 120
/** A short restart is not noticed; calls fail in a long one. */
const outagesMs = [500, 3000, 7000]

describe.skipIf(programs === undefined)('a restart of PostgreSQL while servers use it', () => {
  let cluster: Cluster
  let url: string
  let folder: string
  let store: Store
  let servers: ServeProcess[]

  beforeAll(async () => {
    const made = await makeCluster(programs ?? '')
    if ('missing' in made) throw new Error(made.missing)
    cluster = made
    url = await start()
    folder = mkdtempSync(join(tmpdir(), 'quire-postgres-restart-'))
    store = await openPostgres(url, { dataFolder: folder })
    // Both with the link key of one data folder.
    const flags = ['--data', join(folder, 'data'), '--database', url, '--verify', 'static']
    servers = [await startServe(flags), await startServe(flags)]
  })
  afterAll(async () => {
    for (const { child } of servers ?? []) child.kill('SIGKILL')
    await store?.close()
    await cluster?.stop()
    cluster?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(): Promise<string> {
    const found = await cluster.start()
    if ('missing' in found) throw new Error(found.missing)
    return found.url
  }

  /** Returns how long after the start of PostgreSQL all servers were ready and answered `path`, in milliseconds. */
  async function restartPostgres(outageMs: number, path: string, headers: Record<string, string>): Promise<number> {
    await cluster.stop()
    // So that a server knows of the outage, as one behind a load balancer does.
    const asking = servers.map(({ url }) => send(url, '/readyz'))
    await pause(outageMs)
    await start()
    const startedAt = performance.now()
    const isReady = async (server: ServeProcess) => {
      const [ready, answer] = [await send(server.url, '/readyz'), await send(server.url, path, { headers })]
      return ready.status === 200 && answer.status === 200 ? true : undefined
    }
    await Promise.all(servers.map(server => waitFor(() => isReady(server), 20_000)))
    const readyAfter = performance.now() - startedAt
    await Promise.all(asking)
    return readyAfter
  }

  test('they are ready within 2 s, none exits, and the running export is completed', { timeout: 300_000 }, async () => {
    const { organizationId, projectId } = await createOrganization(store)
    const { key } = await createApiKey(store, organizationId)
    const site = await startSite(pages, { delayMs: 400 })
    const domain = 'docs.example.com'
    await store.sites.insert({ domain, projectId, origin: site.url, createdAt: Date.now() })
    const [server, other] = servers as [ServeProcess, ServeProcess]
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ domain })
    const started = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
    const jobId = String(started.json.jobId)
    const find = async () => {
      const job = await store.exportJobs.find(jobId)
      expect(job?.error ?? null).toBeNull()
      return job
    }

    const readyAfter: number[] = []
    for (const [i, outageMs] of outagesMs.entries()) {
      await waitFor(async () => (((await find())?.pageCount ?? 0) > i * 10 ? true : undefined))
      expect((await find())?.status).toBe('running')
      readyAfter.push(await restartPostgres(outageMs, `/v1/static-export/jobs/${jobId}`, headers))
    }
    console.log(`Ready after a restart: ${readyAfter.map(ms => `${Math.round(ms)} ms`).join(', ')}.`)
    // On a busy machine one of them may be late.
    expect(Math.min(...readyAfter)).toBeLessThan(2000)
    expect(Math.max(...readyAfter)).toBeLessThan(10_000)

    const job = await waitFor(async () => {
      const job = await find()
      return job?.status === 'completed' ? job : undefined
    }, 120_000)
    await site.close()
    expect(job.pageCount).toBe(pages)
    const made = await send(server.url, `/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', headers })
    const link = new URL(String(made.json.bundleUrl))
    const bundle = await fetch(new URL(link.pathname + link.search, other.url))
    const sha256 = createHash('sha256')
      .update(Buffer.from(await bundle.arrayBuffer()))
      .digest('hex')
    expect([bundle.status, sha256]).toEqual([200, job.bundle?.sha256])
    for (const { child, end } of servers) {
      expect(child.exitCode).toBeNull()
      expect(await end('SIGTERM')).toBe(0)
    }
  })
})
