import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../scripts/bench/find-free-port.ts'
import { buildBinary } from '../../scripts/build-binary/build-binary.ts'
import { targets } from '../../scripts/build-binary/targets.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { releases } from '../../server/store/releases.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { makeLaterVersion } from '../support/later-version.ts'
import { findNginx } from '../support/nginx.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { createS3Bucket, whyNoS3Server } from '../support/s3-server.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { startLoad } from '../support/steady-load.ts'
import {
  buildImage,
  confine,
  makeBase,
  ownProfile,
  removeStorage,
  runTool,
  users,
  useTool,
  whyNoContainers,
} from './containers.ts'

// Two API servers and two runners in containers behind nginx, upgraded one by one to a later version and back, under load.

const postgres = await findPostgres()
const nginx = findNginx()
const reason =
  ('missing' in postgres ? postgres.missing : undefined) ??
  ('missing' in nginx ? nginx.missing : undefined) ??
  whyNoS3Server() ??
  whyNoContainers()
if (reason !== undefined) console.log(`No containers are upgraded: ${reason}.`)

/** The sources of the version that is upgraded and comes back; by default these. */
const earlierSources = resolve(process.env.QUIRE_TEST_EARLIER ?? join(import.meta.dirname, '../..'))
const base = 'localhost/quire-test-base'
const [earlier, later] = ['quire-test-server', 'quire-test-later'] as const
const perSecond = 20
/** A server goes on answering for this long while its proxy learns that it will stop. */
const drainSeconds = 3

let scratch = ''
let database: TestDatabase
let storage: Awaited<ReturnType<typeof createS3Bucket>>
let site: Awaited<ReturnType<typeof startSite>>

beforeAll(async () => {
  if (reason !== undefined) return
  scratch = mkdtempSync(join(tmpdir(), 'quire-rolling-'))
  database = await createTestDatabase((postgres as { url: string }).url)
  storage = await createS3Bucket('quire-rolling')
  site = await startSite(40, { delayMs: 60 })
  await buildImages()
}, 600_000)
afterAll(async () => {
  if (reason !== undefined) return
  removeStorage()
  await site?.close()
  await storage?.dispose()
  await database?.drop()
  rmSync(scratch, { recursive: true, force: true })
})

/** The later image has the later binary and otherwise the same files, so the packages of Debian are installed once. */
async function buildImages(): Promise<void> {
  const target = targets.find(({ name }) => name === 'linux-x64')
  if (!target) throw new Error('There is no target linux-x64.')
  const known = releases.at(-1)?.main ?? 0
  const columns = ['projects', 'export_jobs', 'sites', 'api_keys'].map(
    table => `ALTER TABLE ${table} ADD COLUMN later TEXT;`,
  )
  const sources = makeLaterVersion(`-- Usable from 0${known}: the columns may be empty.\n${columns.join('\n')}\n`)
  try {
    await buildBinary({ root: earlierSources, target, folder: join(scratch, 'earlier') })
    await buildBinary({ root: resolve(sources.main, '../..'), target, folder: join(scratch, 'later') })
  } finally {
    sources.remove()
  }
  await makeBase(scratch, base)
  await buildImage('server', join(scratch, 'earlier'), base)
  const file = join(scratch, 'Containerfile')
  writeFileSync(file, `FROM localhost/${earlier}\nCOPY --chmod=0755 ${target.program} /usr/local/bin/quire\n`)
  await useTool('buildah', 'build', '--isolation=chroot', '--file', file, '--tag', later, join(scratch, 'later'))
}

interface Node {
  name: string
  role: 'api' | 'runner'
  port: number
}

/** Starts the container of a node, and waits until it is ready. */
async function start(node: Node, image: string, linkKey: string): Promise<void> {
  const settings = {
    ROLE: node.role,
    PORT: String(node.port),
    DATABASE: database.url,
    BUNDLES: `s3://quire-rolling?endpoint=${storage.endpoint}`,
    DRAIN_SECONDS: String(drainSeconds),
    VERIFY: 'static',
    ...(node.role === 'api' && { LINK_KEY_FILE: '/keys/link.key' }),
  }
  const env = Object.entries(settings).map(([key, value]) => `--env=QUIRE_${key}=${value}`)
  const secrets = Object.entries(storage.credentials).map(([key, value]) => `--env=${key}=${value}`)
  const args = confine(users[0], ownProfile, ...env, ...secrets, `--volume=${linkKey}:/keys:ro`)
  await useTool('podman', 'run', '--detach', '--name', node.name, ...args, image)
  await useTool('podman', 'exec', node.name, 'quire', 'ready', '--wait', '60')
}

async function stop({ name }: Node): Promise<number> {
  await useTool('podman', 'stop', '--time', '60', name)
  const code = Number(await useTool('podman', 'inspect', '--format', '{{.State.ExitCode}}', name))
  await useTool('podman', 'rm', '--volumes', name)
  return code
}

/** Sends each request to a server that accepts it, by the rules of server/deployment/nginx.conf. */
function startProxy(port: number, nodes: readonly Node[]): ChildProcess {
  const folder = join(scratch, 'nginx')
  mkdirSync(folder)
  const servers = nodes.map(({ port }) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`).join(' ')
  const policy = 'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_next_upstream error timeout http_503;'
  writeFileSync(
    join(folder, 'nginx.conf'),
    `user root; daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
    http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      upstream quire { ${servers} keepalive 32; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://quire; ${policy} } } }`,
  )
  return spawn((nginx as { path: string }).path, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' })
}

test.skipIf(reason !== undefined)(
  'no answer fails and no export is lost while containers are upgraded and go back',
  async () => {
    const keys = join(scratch, 'keys')
    mkdirSync(keys)
    writeFileSync(join(keys, 'link.key'), `${'a'.repeat(64)}\n`, { mode: 0o644 })
    const store = await openPostgres(database.url, { dataFolder: scratch })
    const { organizationId, projectId } = await createOrganization(store)
    const { key } = await createApiKey(store, organizationId)
    await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: Date.now() })
    await store.close()
    const nodes: Node[] = []
    for (const role of ['api', 'api', 'runner', 'runner'] as const)
      nodes.push({ name: `quire-rolling-${nodes.length}-${Date.now()}`, role, port: await findFreePort() })
    onTestFinished(async () => {
      for (const { name } of nodes) await runTool('podman', 'rm', '--force', '--volumes', name)
    })
    for (const node of nodes) await start(node, earlier, keys)
    const port = await findFreePort()
    const proxy = startProxy(
      port,
      nodes.filter(({ role }) => role === 'api'),
    )
    onTestFinished(() => void proxy.kill('SIGTERM'))
    const url = `http://127.0.0.1:${port}`
    await waitFor(async () => (await send(url, '/readyz').catch(() => undefined))?.status === 200 || undefined)

    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const jobs: string[] = []
    const startExport = async () => {
      const body = '{"domain":"docs.example.com"}'
      const { status, json } = await send(url, '/v1/static-export/jobs', { method: 'POST', headers, body })
      expect(status).toBe(202)
      jobs.push(String(json.jobId))
    }
    const agentJob = `/quire/v1/projects/${projectId}/agent-jobs/run-1`
    const source = { repository: 'https://github.com/acme/docs', ref: 'main' }
    const put = {
      method: 'PUT',
      path: agentJob,
      headers,
      body: JSON.stringify({ status: 'active', source, model: 'writer-2' }),
    }
    await send(url, agentJob, put)
    const load = startLoad({
      url,
      perSecond,
      requests: [
        put,
        { path: `/v2/agent/${projectId}/job/run-1`, headers },
        { path: '/v1/static-export/jobs/none', headers },
      ],
    })
    const codes: number[] = []
    for (const image of [later, earlier]) {
      for (const node of nodes) {
        await startExport()
        codes.push(await stop(node))
        await start(node, image, keys)
        await pause(1000)
      }
    }
    const { statuses, refused, broken } = await load.stop()
    console.log(`${JSON.stringify(statuses)}, ${jobs.length} exports`)
    const failed = Object.keys(statuses).filter(status => !['200', '404'].includes(status))
    expect({ failed, refused, broken, codes }).toEqual({
      failed: [],
      refused: 0,
      broken: {},
      codes: codes.map(() => 0),
    })
    const readStatus = async (jobId: string) =>
      String((await send(url, `/v1/static-export/jobs/${jobId}`, { headers })).json.status)
    await waitFor(async () => {
      const found = await Promise.all(jobs.map(readStatus))
      return found.every(status => status === 'completed') || undefined
    }, 180_000)
  },
  900_000,
)
