import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExportJob } from '../../../server/export/jobs/export-job.ts'
import { deleteOld, type RetentionDeps } from '../../../server/export/jobs/retention.ts'
import { moveStrays } from '../../../server/export/jobs/strays.ts'
import { openBundleFiles } from '../../../server/store/bundle-files.ts'
import { openLostFolder } from '../../../server/store/lost-files.ts'
import { openStore, type Store } from '../../../server/store/store.ts'
import { createId } from '../../../server/tenancy/id.ts'
import { send } from '../../support/client.ts'
import { runQuire } from '../../support/process.ts'
import { createApiKey, createOrganization, startTestServer } from '../../support/server.ts'

let folder: string
let store: Store
let organizationId: string
const dayMs = 86_400_000

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-retention-'))
  await mkdir(join(folder, 'bundles'))
  store = openStore(folder)
  organizationId = (await createOrganization(store)).organizationId
})
afterEach(async () => {
  store.close()
  await rm(folder, { recursive: true, force: true })
})

interface AddedJob {
  jobId: string
  status?: 'completed' | 'failed' | 'running'
  /** When the job ended or, for a running job, when it started. */
  at: number
  /** The content of the bundle. */
  content?: string
}

/** Adds a job, with a bundle unless it failed, to a data folder. */
async function addJob(
  into: Store,
  dataFolder: string,
  { jobId, status = 'completed', at, content = jobId }: AddedJob,
): Promise<void> {
  const job: ExportJob = {
    jobId,
    organizationId,
    request: {
      domain: 'docs.example.com',
      version: null,
      paths: null,
      deployment: 'air-gapped',
      features: { search: false, assistant: false, analytics: false, playground: false },
      verify: null,
      offlineSearch: false,
      format: 'zip',
    },
    status: 'queued',
    progress: 0,
    pageCount: 0,
    error: null,
    createdAt: at,
    updatedAt: at,
    bundle: null,
  }
  await into.exportJobs.start(job, `key of ${jobId}`, 0)
  const claimed = await into.exportJobs.claim('test', at, 60_000)
  if (claimed?.job.jobId !== jobId) throw new Error('another job was claimed')
  if (status !== 'failed') await writeFile(join(dataFolder, 'bundles', `${jobId}.zip`), content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const bundle = { fileName: `${jobId}.zip`, sizeBytes: content.length, sha256 }
  if (status === 'completed') await into.exportJobs.complete(claimed.lease, bundle, 1, at)
  if (status === 'failed') await into.exportJobs.fail(claimed.lease, 'The site does not answer.', at)
}

async function runRetention(retentionDays: number | undefined, now = Date.now()): Promise<void> {
  const lost = openLostFolder(folder)
  const bundles = openBundleFiles(join(folder, 'bundles'), lost)
  const log: RetentionDeps['log'] = {
    info() {},
    warn() {},
    error(details) {
      throw details
    },
  }
  const workFolder = join(folder, 'work')
  const deps = { exportJobs: store.exportJobs, bundles, lost, workFolder, retentionDays, now: () => now, log }
  await moveStrays(deps)
  await deleteOld(deps, () => false)
}

const bundles = async () => (await readdir(join(folder, 'bundles'))).sort()

test('old exports are deleted with their bundles, and nothing else', async () => {
  const now = Date.now()
  const add = (jobId: string, status: 'completed' | 'failed' | 'running', daysAgo: number) =>
    addJob(store, folder, { jobId, status, at: now - daysAgo * dayMs })
  await add('se_old', 'completed', 8)
  await add('se_failed', 'failed', 8)
  await add('se_new', 'completed', 6)
  await add('se_linked', 'completed', 8)
  await store.exportJobs.noteLink('se_linked', now + 1000)
  await add('se_running', 'running', 8)
  await runRetention(7, now)
  expect(await bundles()).toEqual(['se_linked.zip', 'se_new.zip', 'se_running.zip'])
  expect((await store.exportJobs.list({})).map(({ jobId }) => jobId).sort()).toEqual([
    'se_linked',
    'se_new',
    'se_running',
  ])
  await runRetention(7, now + 1001)
  expect(await bundles()).toEqual(['se_new.zip', 'se_running.zip'])
})

test('without retention, nothing is deleted, and bundles without a job move to the lost folder', async () => {
  await addJob(store, folder, { jobId: 'se_old', at: Date.now() - 1000 * dayMs })
  await addJob(store, folder, { jobId: 'se_killed', at: Date.now() })
  // As if the process was killed after deleting the job and before deleting its bundle.
  await store.exportJobs.delete('se_killed', Date.now(), false)
  await writeFile(join(folder, 'bundles', 'notes.txt'), 'of the operator')
  await runRetention(undefined)
  expect(await bundles()).toEqual(['notes.txt', 'se_old.zip'])
  expect(await readdir(join(folder, 'lost'))).toEqual(['se_killed.zip'])
})

test('a download is complete even if the bundle is deleted meanwhile, and later requests are a 404', async () => {
  const jobId = createId('se')
  const server = await startTestServer({ linkTtlSeconds: 5 })
  try {
    ;({ organizationId } = await createOrganization(server.store))
    const { key } = await createApiKey(server.store, organizationId)
    const headers = { Authorization: `Bearer ${key}` }
    const content = 'x'.repeat(40_000_000)
    const bundlesFolder = join(server.dataFolder, 'bundles')
    await mkdir(bundlesFolder, { recursive: true })
    await addJob(server.store, server.dataFolder, { jobId, at: Date.now(), content })
    const path = `/v1/static-export/jobs/${jobId}`
    const link = await send(server.url, `${path}/bundle`, { method: 'POST', headers })
    expect(link).toMatchObject({ status: 200 })
    expect(await server.store.exportJobs.delete(jobId, Date.now(), false)).toBe('linked')
    const { size, first } = await startDownload(String(link.json.bundleUrl))
    await first
    const livesMs = Date.parse(String(link.json.expiresAt)) - Date.now()
    await new Promise(done => setTimeout(done, livesMs + 100))
    const gone = await server.store.exportJobs.delete(jobId, Date.now(), false)
    expect(gone).toEqual({ fileName: `${jobId}.zip` })
    await openBundleFiles(bundlesFolder, openLostFolder(server.dataFolder)).remove(`${jobId}.zip`)
    expect(await size()).toBe(content.length)
    expect((await send(server.url, path, { headers })).status).toBe(404)
    expect((await send(server.url, `${path}/bundle`, { method: 'POST', headers })).status).toBe(404)
  } finally {
    await server.dispose()
  }
})

/** Starts a download and pauses it after its first bytes, until `size` is called. */
async function startDownload(url: string): Promise<{ first: Promise<void>; size(): Promise<number> }> {
  const { promise: first, resolve } = Promise.withResolvers<void>()
  const response = await new Promise<import('node:http').IncomingMessage>((done, failed) =>
    request(url, done).on('error', failed).end(),
  )
  let received = 0
  response.on('data', (chunk: Buffer) => {
    if (received === 0) response.pause()
    received += chunk.length
    resolve()
  })
  const ended = new Promise<void>((done, failed) => response.on('end', done).on('error', failed))
  return {
    first,
    async size() {
      response.resume()
      await ended
      return received
    },
  }
}

test('commands list and delete exports, and need --force for those with a valid link', async () => {
  await addJob(store, folder, { jobId: 'se_1', at: Date.now() })
  await store.exportJobs.noteLink('se_1', Date.now() + 60_000)
  const quire = (...args: string[]) => runQuire(['exports', ...args, '--data', folder])
  expect((await quire('list')).stdout).toMatch(/^JOB ID .*\nse_1 +docs\.example\.com +completed +1 +0\.0 /)
  expect(JSON.parse((await quire('list', '--json')).stdout)).toMatchObject([{ jobId: 'se_1', sizeBytes: 4 }])
  expect(await quire('delete', 'se_1')).toMatchObject({ code: 1, stderr: expect.stringContaining('still works') })
  expect(await quire('delete', 'se_1', '--force')).toMatchObject({ code: 0, stdout: 'se_1 is deleted.\n' })
  expect([await bundles(), (await quire('list', '--json')).stdout]).toEqual([[], '[]\n'])
  expect(await quire('delete', 'se_1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no export'),
  })
})
