import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createS3Bucket, type S3Server, whyNoS3Server } from '../support/s3-server.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

const postgres = await findPostgres()
const missing = 'missing' in postgres ? postgres.missing : whyNoS3Server()
const random = createRandom('servers')
const shiftsMs = [-600_000, 0, 600_000]
const times = rounds(100)
const kills = rounds(24)
const stalls = rounds(6)
const leaseSeconds = 2

/** Notes each completion of an export, except the same one again. */
const noteCompletions = `CREATE TABLE completions (job_id text);
  CREATE FUNCTION note_completion() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO completions VALUES (NEW.job_id); RETURN NULL; END $$;
  CREATE TRIGGER completion AFTER UPDATE ON export_jobs FOR EACH ROW
    WHEN (NEW.status = 'completed' AND (OLD.status, OLD.bundle_file) IS DISTINCT FROM (NEW.status, NEW.bundle_file))
    EXECUTE FUNCTION note_completion()`

describe.skipIf(missing)(
  `three API servers and three runners, clocks 10 minutes apart${missing ? `: ${missing}` : ''}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-nodes-'))
    let database: TestDatabase
    let storage: S3Server
    let site: Awaited<ReturnType<typeof startSite>>
    let api: ServeProcess[]
    let headers: Record<string, string>
    const linkKeyFile = join(folder, 'link.key')

    const start = (role: 'api' | 'runner', node: number) =>
      startNode(role, node, { folder, linkKeyFile, database: database.url, endpoint: storage.endpoint })

    beforeAll(async () => {
      database = await createTestDatabase((postgres as { url: string }).url)
      storage = await createS3Bucket('quire-nodes')
      site = await startSite(40, { delayMs: 60 })
      writeFileSync(linkKeyFile, `${'a'.repeat(64)}\n`, { mode: 0o600 })
      const store = await openPostgres(database.url, { dataFolder: folder })
      const { organizationId, projectId } = await createOrganization(store)
      const { key } = await createApiKey(store, organizationId)
      await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: Date.now() })
      await store.close()
      headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      api = await Promise.all(shiftsMs.map((_, node) => start('api', node)))
    })
    afterAll(async () => {
      for (const server of api ?? []) await server.end('SIGKILL')
      await site?.close()
      await storage?.dispose()
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    })

    test(`let exactly 100 of 200 requests of an organization through, ${times} times`, async () => {
      const store = await openPostgres(database.url, { dataFolder: folder })
      try {
        for (let round = 1; round <= times; round += 1) {
          const organization = await createOrganization(store)
          const { key } = await createApiKey(store, organization.organizationId)
          const path = `/v1/analytics/${organization.projectId}/visitors`
          const authorized = { headers: { Authorization: `Bearer ${key}` } }
          const answers = await Promise.all(
            Array.from({ length: 200 }, (_, i) => send(api[i % 3]?.url ?? '', path, authorized)),
          )
          const count = (status: number) => answers.filter(answer => answer.status === status).length
          expect({ round, 200: count(200), 429: count(429) }).toEqual({ round, 200: 100, 429: 100 })
        }
      } finally {
        await store.close()
      }
    })

    test(`lose no export and complete none twice, with ${kills} kills and ${stalls} stalls beyond the lease`, async () => {
      await database.run(noteCompletions)
      const accepted: string[] = []
      const count = async (statuses: string) =>
        Number((await database.run(`SELECT count(*) FROM export_jobs WHERE status IN (${statuses})`))[0]?.count)
      /** Starts exports, so that the runners always have one, and waits until one runs. */
      const keepBusy = async () => {
        while ((await count("'queued', 'running'")) < 6) {
          const body = '{"domain":"docs.example.com"}'
          const url = api[accepted.length % 3]?.url ?? ''
          const answer = await send(url, '/v1/static-export/jobs', { method: 'POST', headers, body })
          expect(answer.status).toBe(202)
          accepted.push(String(answer.json.jobId))
        }
        await waitFor(async () => (await count("'running'")) > 0 || undefined)
      }
      const runners = await Promise.all(shiftsMs.map((_, node) => start('runner', node)))
      try {
        for (let event = 0; event < kills + stalls; event += 1) {
          const node = event % 3
          await keepBusy()
          await pause(500 + random() * 1000)
          const runner = runners[node] as ServeProcess
          if (event % 5 === 4) {
            runner.child.kill('SIGSTOP')
            await pause(leaseSeconds * 2000)
            runner.child.kill('SIGCONT')
          } else {
            await runner.end('SIGKILL')
            runners[node] = await start('runner', node)
          }
        }
        await waitFor(async () => (await count("'queued', 'running'")) === 0 || undefined, 120_000)
      } finally {
        for (const runner of runners) await runner.end('SIGKILL')
      }
      expect(await database.run("SELECT error FROM export_jobs WHERE status = 'failed'")).toEqual([])
      const completions = await database.run('SELECT job_id FROM completions')
      expect(completions.map(({ job_id }) => job_id).sort()).toEqual([...accepted].sort())
      for (const [i, jobId] of accepted.entries()) {
        expect(await download(i % 3, jobId)).toEqual({ status: 200, sha256: await recordedSha256(jobId) })
      }
      const [{ interrupted = 0 } = {}] = await database.run(
        'SELECT sum(interruptions)::integer AS interrupted FROM export_jobs',
      )
      console.log(`${accepted.length} exports were interrupted ${interrupted} times.`)
      expect(Number(interrupted)).toBeGreaterThan(0)
    })

    const recordedSha256 = async (jobId: string) =>
      (await database.run(`SELECT bundle_sha256 FROM export_jobs WHERE job_id = '${jobId}'`))[0]?.bundle_sha256

    /** Asks one server for a link, and another for the bundle behind it. */
    async function download(node: number, jobId: string): Promise<{ status: number; sha256: string }> {
      const path = `/v1/static-export/jobs/${jobId}/bundle`
      const { json } = await send(api[node]?.url ?? '', path, { method: 'POST', headers })
      const link = new URL(String(json.bundleUrl))
      const response = await fetch(new URL(link.pathname + link.search, api[(node + 1) % 3]?.url))
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, sha256: createHash('sha256').update(bytes).digest('hex') }
    }
  },
)

interface Shared {
  folder: string
  linkKeyFile: string
  database: string
  endpoint: string
}

/** Starts a server with its clock and its own data folder. */
function startNode(role: 'api' | 'runner', node: number, { folder, linkKeyFile, database, endpoint }: Shared) {
  return startServe(
    [
      ...['--role', role, '--data', join(folder, `${role}-${node}`), '--database', database],
      ...['--bundles', `s3://quire-nodes?endpoint=${endpoint}`, '--lease-seconds', String(leaseSeconds)],
      ...(role === 'api' ? ['--link-key-file', linkKeyFile] : ['--exports-at-once', '1']),
    ],
    {
      env: {
        NODE_OPTIONS: `--import=${pathToFileURL(resolve(import.meta.dirname, '../support/shift-clock.ts'))}`,
        TEST_CLOCK_SHIFT_MS: String(shiftsMs[node]),
      },
    },
  )
}
