import { existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { openStore } from '../../server/store/store.ts'
import { countByBruteForce, toExactLabels } from '../analytics/brute-force.ts'
import { nameDemoAgents } from '../analytics/demo-agent-names.ts'
import { digest, findInconsistencies, listCompleted } from '../store/backup/data-folder.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startQuire, startServe } from '../support/process.ts'
import { type RunningProgram, startProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import type { KeyChange } from './key-changes.ts'

const random = createRandom('kill everything')
const times = rounds(30)
const pages = 25
const from = 20_500
const days = 40
const folderOfPrograms = import.meta.dirname
const rank = { queued: 0, running: 1, completed: 2, failed: 2 }

interface Tenant {
  organizationId: string
  projectId: string
  domain: string
  headers: Record<string, string>
}

interface Status {
  status: keyof typeof rank
  progress: number
  pageCount: number
  error: string | null
}

interface Export {
  tenant: Tenant
  idempotencyKey: string
  /** Undefined until the start was acknowledged. */
  jobId?: string
  last: Status
  /** Path and digest of the first bundle link. */
  link?: { path: string; sha256: string }
}

/** Sends the requests of clients that know what the server acknowledged, and checks that it takes nothing back. */
class Clients {
  readonly exports: Export[] = []

  /** Begins an export. If the server is killed before it answers, `work` sends the same request again. */
  order(tenant: Tenant): void {
    const last: Status = { status: 'queued', progress: 0, pageCount: 0, error: null }
    this.exports.push({ tenant, idempotencyKey: `export-${this.exports.length}`, last })
  }

  /** Starts, polls and links all exports that are not finished. Throws when the server does not answer. */
  async work(url: string): Promise<void> {
    for (const each of this.exports) {
      if (!each.jobId) await this.#start(url, each)
      else if (each.last.status !== 'completed') await this.#poll(url, each, each.jobId)
      else if (!each.link) await this.#link(url, each, each.jobId)
    }
  }

  async #start(url: string, each: Export): Promise<void> {
    const { domain, headers } = each.tenant
    const answer = await send(url, '/v1/static-export/jobs', {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': each.idempotencyKey },
      body: JSON.stringify({ domain }),
    })
    expect(answer.status, answer.text).toBe(202)
    each.jobId = String(answer.json.jobId)
  }

  async #poll(url: string, each: Export, jobId: string): Promise<void> {
    const answer = await send(url, `/v1/static-export/jobs/${jobId}`, { headers: each.tenant.headers })
    expect(answer.status, answer.text).toBe(200)
    const now = answer.json as unknown as Status
    expect(rank[now.status]).toBeGreaterThanOrEqual(rank[each.last.status])
    expect(now.progress).toBeGreaterThanOrEqual(each.last.progress)
    expect(now.pageCount).toBeGreaterThanOrEqual(each.last.pageCount)
    expect(now.error).toBeNull()
    each.last = now
  }

  async #link(url: string, each: Export, jobId: string): Promise<void> {
    const { headers } = each.tenant
    const answer = await send(url, `/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', headers })
    expect(answer.status, answer.text).toBe(200)
    const { pathname, search } = new URL(String(answer.json.bundleUrl))
    each.link = { path: pathname + search, sha256: String(answer.json.sha256) }
  }
}

test(`${times} rounds of kill -9 beside exports, imports, backups and key changes: nothing lost, doubled or stuck`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-kill-everything-'))
  const data = join(folder, 'data')
  const site = await startSite(pages, { delayMs: 15 })
  const tenants = await createTenants(data, site.url)
  const [{ projectId, organizationId }] = tenants as [Tenant]
  const log = join(folder, 'access.log')
  const paths = Array.from({ length: 100 }, (_, i) => `/guide/page-${i}`)
  const lines = [...generateAccessLog({ seed: 11, lines: 200_000, from, to: from + days, paths })]
  await writeFile(log, `${lines.join('\n')}\n`)

  const clients = new Clients()
  const keyChanges: string[] = []
  const counts = { backups: 0, restored: 0, imports: 0 }
  let server: ServeProcess | undefined
  try {
    for (let round = 0; round < times; round++) {
      const backup = join(folder, round % 2 ? `${round}.tar` : String(round))
      server = await startServe(['--data', data, '--lease-seconds', '1'])
      const programs = {
        importer: startProgram([join(folderOfPrograms, 'import-in-batches.ts'), log, projectId, data]),
        backup: startQuire(['backup', backup, '--data', data]),
        keys: startProgram([join(folderOfPrograms, 'key-changes.ts'), data, organizationId]),
      }
      const lives = [server, ...Object.values(programs)].map(program => killAtRandom(program, 600 + random() * 4000))
      clients.order(tenants[round % tenants.length] as Tenant)
      if (random() < 0.3) clients.order(tenants[0] as Tenant)
      await workUntilKilled(clients, server)
      await Promise.all(lives)
      keyChanges.push(...programs.keys.stdout().split('\n').slice(0, -1))
      if (programs.importer.child.exitCode === 0) counts.imports++
      counts.backups += existsSync(backup) ? 1 : 0
      if (existsSync(backup) && round % 5 < 2) {
        await expectRestorable(backup, join(folder, 'restored'))
        counts.restored++
      }
      rmSync(backup, { recursive: true, force: true })
    }
    console.log(`${JSON.stringify(counts)}, ${clients.exports.length} exports, ${keyChanges.length} key changes`)
    expect(readdirSync(folder).filter(name => name.startsWith('quire-backup-')).length).toBeLessThanOrEqual(1)

    const started = await startServe(['--data', data, '--lease-seconds', '1'])
    server = started
    await waitFor(async () => {
      await clients.work(started.url)
      return clients.exports.every(({ link }) => link) || undefined
    }, 300_000)
    await expectExports(clients, data, started.url)
    await expectKeys(keyChanges, started.url)
    const args = ['visits', 'import', log, '--project', projectId, '--data', data, '--json']
    expect(await runQuire(args)).toMatchObject({ code: 0 })
    await expectCounts(data, projectId, lines)
    expect(await started.end('SIGTERM')).toBe(0)
    expect(await readdir(join(data, 'work'))).toEqual([])
    expect(findInconsistencies(data)).toEqual([])
  } finally {
    server?.child.kill('SIGKILL')
    await site.close()
    await rm(folder, { recursive: true, force: true })
  }
}, 1_800_000)

async function createTenants(data: string, origin: string): Promise<Tenant[]> {
  const store = openStore(data)
  const tenants: Tenant[] = []
  for (const name of ['a', 'b', 'c']) {
    const { organizationId, projectId } = await createOrganization(store)
    const { key } = await createApiKey(store, organizationId)
    const domain = `${name}.example.com`
    await store.sites.insert({ domain, projectId, origin, createdAt: Date.now() })
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    tenants.push({ organizationId, projectId, domain, headers })
  }
  store.close()
  return tenants
}

/** Kills a program after a time, and waits for its end. A program that ended before must have succeeded. */
async function killAtRandom(program: RunningProgram, afterMs: number): Promise<void> {
  const timer = setTimeout(() => program.child.kill('SIGKILL'), afterMs)
  const { code, stderr } = await program.ended
  clearTimeout(timer)
  expect(code ?? program.child.signalCode, stderr).toBe(code === null ? 'SIGKILL' : 0)
}

async function workUntilKilled(clients: Clients, server: ServeProcess): Promise<void> {
  const isAlive = () => server.child.exitCode === null && server.child.signalCode === null
  while (isAlive()) {
    try {
      await clients.work(server.url)
    } catch (error) {
      // Only the kill may break a connection.
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code)) throw error
      await pause(20)
    }
    await pause(50)
  }
}

async function expectRestorable(backup: string, restored: string): Promise<void> {
  expect(await runQuire(['restore', backup, '--data', restored])).toMatchObject({ code: 0, stderr: '' })
  expect(findInconsistencies(restored)).toEqual([])
  rmSync(restored, { recursive: true })
}

/** Each request gave one job, each job is complete, and each link gives the recorded bytes. */
async function expectExports({ exports }: Clients, data: string, url: string): Promise<void> {
  const done = exports.map(({ last: { status, pageCount } }) => ({ status, pageCount }))
  expect(done).toEqual(exports.map(() => ({ status: 'completed', pageCount: pages })))
  const recorded = new Map(listCompleted(data).map(({ jobId, sha256 }) => [jobId, sha256]))
  expect(recorded).toEqual(new Map(exports.map(({ jobId, link }) => [jobId, link?.sha256])))
  for (const { link } of exports) {
    const answer = await fetch(new URL(link?.path ?? '', url))
    expect(answer.status).toBe(200)
    expect(digest(Buffer.from(await answer.arrayBuffer()))).toBe(link?.sha256)
  }
  const store = openStore(data)
  const rows = await Promise.all(exports.map(({ jobId }) => store.exportJobs.find(jobId ?? '')))
  store.close()
  expect(rows.every(row => row)).toBe(true)
}

/** Keys whose creation was acknowledged work, and keys whose revocation was acknowledged do not. */
async function expectKeys(lines: readonly string[], url: string): Promise<void> {
  const states = new Map<string, KeyChange['kind']>()
  for (const line of lines) {
    const { kind, key } = JSON.parse(line) as KeyChange
    states.set(key, kind)
  }
  // On a busy machine, many programs are killed before they change a key.
  expect(states.size).toBeGreaterThan(20)
  const wrong: object[] = []
  for (const [key, kind] of states) {
    if (kind === 'revoking') continue
    const headers = { Authorization: `Bearer ${key}` }
    const { status } = await send(url, '/v1/static-export/jobs/se_0000000000000000', { headers })
    if (status !== (kind === 'created' ? 404 : 401)) wrong.push({ kind, status })
  }
  expect(wrong).toEqual([])
}

async function expectCounts(data: string, projectId: string, lines: readonly string[]): Promise<void> {
  const [want] = countByBruteForce(lines, nameDemoAgents(), [['2000-01-01', '2100-01-01']], Date.now())
  const store = openStore(data)
  const { totals, visitors } = await store.visits.countUniqueVisitors(projectId, {}, { limit: 250, offset: 0 })
  const labels = toExactLabels(await store.visits.countLabels(projectId, {}))
  store.close()
  const found = Object.fromEntries(visitors.map(({ path, human, ai, total }) => [path, [human, ai, total]]))
  expect({ ...totals, pages: found, labels }).toEqual(want)
}
