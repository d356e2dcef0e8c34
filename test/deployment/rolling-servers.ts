import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFreePort } from '../../scripts/bench/find-free-port.ts'
import { buildBinary } from '../../scripts/build-binary/build-binary.ts'
import type { Target } from '../../scripts/build-binary/targets.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { releases } from '../../server/store/releases.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { makeLaterVersion } from '../support/later-version.ts'
import type { TestDatabase } from '../support/postgres/test-database.ts'
import type { S3Server } from '../support/s3-server.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { type LoadResult, startLoad } from '../support/steady-load.ts'
import { confine, ownProfile, runTool, users, useTool } from './containers.ts'

export const bucket = 'quire-rolling'
const perSecond = 20
/** A server goes on answering for this long while its proxy learns that it will stop. */
const drainSeconds = 3

/**
 * Makes an image of a later version with one more migration. It has another binary and otherwise the files of `earlier`, so the packages
 * of Debian are installed once.
 */
export async function makeLaterImage(earlier: string, later: string, target: Target, scratch: string): Promise<void> {
  const tables = ['projects', 'export_jobs', 'sites', 'api_keys']
  const columns = tables.map(table => `ALTER TABLE ${table} ADD COLUMN later TEXT;`).join('\n')
  const sources = makeLaterVersion(`-- Usable from 0${releases.at(-1)?.main}: the columns may be empty.\n${columns}\n`)
  const folder = join(scratch, 'later')
  try {
    await buildBinary({ root: resolve(sources.main, '../..'), target, folder })
  } finally {
    sources.remove()
  }
  await replaceBinary(earlier, later, target, folder)
}

/** Makes an image with the binary of an earlier commit, which the scripts of that commit build, and otherwise the files of `server`. */
export async function makeEarlierImage(
  commit: string,
  server: string,
  earlier: string,
  target: Target,
  scratch: string,
) {
  const root = join(scratch, 'sources')
  const folder = join(scratch, 'earlier')
  const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd: root })
  await promisify(execFile)('git', ['worktree', 'add', '--detach', root, commit])
  try {
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
    await run(process.execPath, 'scripts/build-binary.ts', '--target', target.name, '--output', folder)
  } finally {
    await run('git', 'worktree', 'remove', '--force', root)
  }
  await replaceBinary(server, earlier, target, folder)
}

async function replaceBinary(image: string, replaced: string, { program }: Target, folder: string): Promise<void> {
  const file = join(folder, 'Containerfile')
  writeFileSync(file, `FROM localhost/${image}\nCOPY --chmod=0755 ${program} /usr/local/bin/quire\n`)
  await useTool('buildah', 'build', '--isolation=chroot', '--file', file, '--tag', replaced, folder)
}

interface Servers {
  nginx: string
  database: TestDatabase
  storage: S3Server
  scratch: string
}

interface Node {
  name: string
  role: 'api' | 'runner'
  port: number
}

export interface Rolled extends LoadResult {
  /** Of the containers that were stopped. */
  exitCodes: number[]
  /** The states of the exports that clients started meanwhile, some time afterwards. */
  exports: string[]
}

/**
 * Replaces two API servers and two runners in containers behind nginx, one after the other, by those of each of the images, while clients
 * read, write and start exports.
 */
export async function rollServers(servers: Servers, first: string, images: readonly string[]): Promise<Rolled> {
  const site = await startSite(40, { delayMs: 60 })
  const nodes: Node[] = []
  for (const role of ['api', 'api', 'runner', 'runner'] as const)
    nodes.push({ name: `quire-rolling-${nodes.length}-${Date.now()}`, role, port: await findFreePort() })
  const port = await findFreePort()
  let proxy: ChildProcess | undefined
  try {
    const { key, projectId } = await addSite(servers, site.url)
    for (const node of nodes) await start(servers, node, first)
    proxy = startProxy(servers, port, nodes)
    const url = `http://127.0.0.1:${port}`
    await waitFor(async () => (await send(url, '/readyz').catch(() => undefined))?.status === 200 || undefined)
    const client = openClient(url, key, projectId)
    await client.putJob()
    const load = startLoad({ url, perSecond, requests: client.requests })
    const exitCodes: number[] = []
    for (const image of images) {
      for (const node of nodes) {
        await client.startExport()
        exitCodes.push(await stop(node))
        await start(servers, node, image)
        await pause(1000)
      }
    }
    return { ...(await load.stop()), exitCodes, exports: await client.awaitExports() }
  } finally {
    proxy?.kill('SIGTERM')
    for (const { name } of nodes) await runTool('podman', 'rm', '--force', '--volumes', name)
    await site.close()
  }
}

async function addSite({ database, scratch }: Servers, origin: string): Promise<{ key: string; projectId: string }> {
  const store = await openPostgres(database.url, { dataFolder: scratch })
  try {
    const { organizationId, projectId } = await createOrganization(store)
    const { key } = await createApiKey(store, organizationId)
    await store.sites.insert({ domain: 'docs.example.com', projectId, origin, createdAt: Date.now() })
    return { key, projectId }
  } finally {
    await store.close()
  }
}

/** Starts the container of a node, and waits until it is ready. */
async function start({ database, storage, scratch }: Servers, node: Node, image: string): Promise<void> {
  const keys = join(scratch, 'keys')
  mkdirSync(keys, { recursive: true })
  writeFileSync(join(keys, 'link.key'), `${'a'.repeat(64)}\n`, { mode: 0o644 })
  const settings = {
    ROLE: node.role,
    PORT: String(node.port),
    DATABASE: database.url,
    BUNDLES: `s3://${bucket}?endpoint=${storage.endpoint}`,
    DRAIN_SECONDS: String(drainSeconds),
    VERIFY: 'static',
    ...(node.role === 'api' && { LINK_KEY_FILE: '/keys/link.key' }),
  }
  const env = Object.entries(settings).map(([key, value]) => `--env=QUIRE_${key}=${value}`)
  const secrets = Object.entries(storage.credentials).map(([key, value]) => `--env=${key}=${value}`)
  const args = confine(users[0], ownProfile, ...env, ...secrets, `--volume=${keys}:/keys:ro`)
  await useTool('podman', 'run', '--detach', '--name', node.name, ...args, image)
  await useTool('podman', 'exec', node.name, 'quire', 'ready', '--wait', '60')
}

/** Stops and removes the container of a node. Returns its exit code. */
async function stop({ name }: Node): Promise<number> {
  await useTool('podman', 'stop', '--time', '60', name)
  const code = Number(await useTool('podman', 'inspect', '--format', '{{.State.ExitCode}}', name))
  await useTool('podman', 'rm', '--volumes', name)
  return code
}

/** Passes requests on to the API servers, by the rules of server/deployment/nginx.conf. */
function startProxy({ nginx, scratch }: Servers, port: number, nodes: readonly Node[]): ChildProcess {
  const folder = join(scratch, 'nginx')
  mkdirSync(folder)
  const api = nodes.filter(({ role }) => role === 'api')
  const upstreams = api.map(node => `server 127.0.0.1:${node.port} max_fails=1 fail_timeout=2s;`).join(' ')
  const policy = 'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_next_upstream error timeout http_503;'
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `user root; daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
    http { access_log off; ${temporary.join(' ')}
      upstream quire { ${upstreams} keepalive 32; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://quire; ${policy} } } }`,
  )
  return spawn(nginx, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
}

/** What clients ask for. */
function openClient(url: string, key: string, projectId: string) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const source = { repository: 'https://github.com/acme/docs', ref: 'main' }
  const body = JSON.stringify({ status: 'active', source, model: 'writer-2' })
  const put = { method: 'PUT', path: `/quire/v1/projects/${projectId}/agent-jobs/run-1`, headers, body }
  const jobs: string[] = []
  const readStatus = async (jobId: string) =>
    String((await send(url, `/v1/static-export/jobs/${jobId}`, { headers })).json.status)
  const isOpen = (status: string) => status === 'queued' || status === 'running'
  return {
    requests: [
      put,
      { path: `/v2/agent/${projectId}/job/run-1`, headers },
      { path: '/v1/static-export/jobs/none', headers },
    ],
    putJob: () => send(url, put.path, put),
    async startExport() {
      const start = { method: 'POST', headers, body: '{"domain":"docs.example.com"}' }
      const { status, json } = await send(url, '/v1/static-export/jobs', start)
      if (status !== 202) throw new Error(`The start of an export was answered with ${status}.`)
      jobs.push(String(json.jobId))
    },
    awaitExports: () =>
      waitFor(async () => {
        const statuses = await Promise.all(jobs.map(readStatus))
        return statuses.some(isOpen) ? undefined : statuses
      }, 180_000),
  }
}
