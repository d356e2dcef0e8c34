import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Runner, startRunner } from '../../../server/export/jobs/runner.ts'
import { defaultLimits } from '../../../server/export/model/limits.ts'
import type { ExportCalls, RunExport } from '../../../server/export/model/options.ts'
import { openBundleFiles } from '../../../server/store/bundle-files.ts'
import { openLostFolder } from '../../../server/store/lost-files.ts'
import { openStore, type Store } from '../../../server/store/store.ts'
import { createId } from '../../../server/tenancy/id.ts'
import { queuedJob } from '../../support/export-job.ts'
import { waitFor } from '../../support/export-site.ts'
import { createOrganization } from '../../support/server.ts'

// Several exports at once in one process, and the organizations that they belong to. The engine is a parameter; an export ends when the test says.

let folder: string
let store: Store
let runners: Runner[]
let stepMs: number
/** When the last job was created: each is a millisecond younger than the one before, because their order decides whose turn it is. */
let createdAt: number
/** The domains of the exports at work, each with the function that ends it. */
let working: Map<string, () => void>
/** What every export that was started can ask and tell. */
let started: ExportCalls[]
let logged: string[]
/** What the exports tell about the browser. */
let browserProblem: string | null

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-slots-'))
  store = openStore(join(folder, 'data'))
  runners = []
  stepMs = 0
  createdAt = Date.now() - 1000
  working = new Map()
  started = []
  logged = []
  browserProblem = null
})
afterEach(async () => {
  await Promise.all(runners.map(runner => runner.stop()))
  store.close()
  await rm(folder, { recursive: true, force: true })
})

/** Adds an organization with queued jobs, each of a site named NAME-NUMBER. */
async function addOrganization(name: string, jobs: number, origin: string | null = null): Promise<string[]> {
  const { organizationId, projectId } = await createOrganization(store)
  const jobIds: string[] = []
  for (let i = 0; i < jobs; i += 1) {
    const domain = `${name}-${i}`
    await store.sites.insert({ domain, projectId, origin, createdAt: 0 })
    const jobId = createId('se')
    createdAt += 1
    const job = queuedJob({ jobId, organizationId, createdAt, request: { domain } })
    await store.exportJobs.start(job, undefined, 0)
    jobIds.push(jobId)
  }
  return jobIds
}

function run(exportsAtOnce: number, { leaseMs = 5_000, owner = 'test', now = () => Date.now() + stepMs } = {}): Runner {
  const runExport: RunExport = async ({ domain, outFile }, calls) => {
    const { signal } = calls
    started.push(calls)
    await new Promise<void>((end, fail) => {
      working.set(domain, end)
      signal.addEventListener('abort', () => fail(signal.reason))
    }).finally(() => working.delete(domain))
    await writeFile(outFile, 'bundle')
    return {
      pageCount: 3,
      sizeBytes: 6,
      sha256: 'b'.repeat(64),
      report: {} as never,
      stageSeconds: {},
      browserProblem,
    }
  }
  const log = (_details: object, message: string) => void logged.push(message)
  const runner = startRunner({
    exportJobs: store.exportJobs,
    sites: store.sites,
    openLogin: () => null,
    bundles: openBundleFiles(join(folder, 'bundles'), openLostFolder(folder)),
    cache: null,
    engine: 'test',
    runExport,
    limits: defaultLimits,
    verify: 'static',
    allowLoss: false,
    allowNoSandbox: false,
    workFolder: join(folder, 'work'),
    owner,
    leaseMs,
    exportsAtOnce,
    hasOthers: false,
    now,
    log: { info: log, warn: log, error: log },
  })
  runners.push(runner)
  return runner
}

const untilWorking = (...domains: string[]) =>
  waitFor(async () => (domains.every(domain => working.has(domain)) ? true : undefined), 20_000)
/** Long enough for two polls, in which a runner that may claim something does. */
const severalPolls = () => new Promise(done => setTimeout(done, 2_500))
const statusOf = async (jobId = '') => (await store.exportJobs.find(jobId))?.status
const untilCompleted = (jobId = '') =>
  waitFor(async () => ((await statusOf(jobId)) === 'completed' ? true : undefined), 20_000)

test('several exports run at once, and one organization gets half of them', async () => {
  await addOrganization('flood', 10)
  run(4)
  await untilWorking('flood-0', 'flood-1')
  await severalPolls()
  expect([...working.keys()].sort()).toEqual(['flood-0', 'flood-1'])
  const [jobId] = await addOrganization('b', 1)
  await untilWorking('b-0')
  working.get('b-0')?.()
  await untilCompleted(jobId)
})

test('a place that becomes free is taken at once, in turns', async () => {
  await addOrganization('flood', 3)
  await addOrganization('b', 1)
  await addOrganization('c', 1)
  run(2)
  await untilWorking('flood-0', 'b-0')
  working.get('flood-0')?.()
  await untilWorking('b-0', 'c-0')
  working.get('c-0')?.()
  await untilWorking('b-0', 'flood-1')
})

test('exports know how many run at once, and how many of them fetch from the same host', async () => {
  const origin = 'http://10.0.0.7:8080/docs/'
  await addOrganization('a', 1, origin)
  run(6)
  await untilWorking('a-0')
  const crowds = () => started.map(({ crowd }) => crowd?.())
  expect(crowds()).toEqual([{ exports: 1, onHost: 1 }])
  const [jobId] = await addOrganization('b', 1, 'http://10.0.0.7:8080/')
  await addOrganization('c', 1)
  await untilWorking('b-0', 'c-0')
  const shared = { exports: 3, onHost: 2 }
  expect(
    crowds()
      .slice(0, 3)
      .sort((x, y) => (y?.onHost ?? 0) - (x?.onHost ?? 0)),
  ).toEqual([shared, shared, { exports: 3, onHost: 1 }])
  working.get('b-0')?.()
  await untilCompleted(jobId)
  await waitFor(async () => (started[0]?.crowd?.().onHost === 1 ? true : undefined))
})

test('a browser that cannot be started is one error in the log for several exports', async () => {
  browserProblem = 'Chromium has no sandbox.'
  const jobIds = await addOrganization('a', 2)
  run(1)
  for (const [index, jobId] of jobIds.entries()) {
    await untilWorking(`a-${index}`)
    working.get(`a-${index}`)?.()
    await untilCompleted(jobId)
  }
  expect(logged.filter(message => message.startsWith('Chromium cannot be started'))).toHaveLength(1)
})

test('a stop interrupts all exports, and the next runner takes them over at once', async () => {
  const jobIds = [...(await addOrganization('a', 1)), ...(await addOrganization('b', 1))]
  const runner = run(2)
  await untilWorking('a-0', 'b-0')
  await runner.stop()
  expect(working.size).toBe(0)
  run(2)
  await untilWorking('a-0', 'b-0')
  for (const end of working.values()) end()
  for (const jobId of jobIds) await untilCompleted(jobId)
})

test.each([
  ['forward by an hour', 3_600_000],
  ['forward by a year', 365 * 86_400_000],
  ['back by an hour', -3_600_000],
  ['back by a year', -365 * 86_400_000],
])('after the clock is set %s, no runner starts an export that runs', async (_step, byMs) => {
  const [jobId] = await addOrganization('a', 1)
  run(4, { owner: 'one', leaseMs: 3_000 })
  await untilWorking('a-0')
  run(4, { owner: 'two', leaseMs: 3_000 })
  stepMs = byMs
  await severalPolls()
  expect(started).toHaveLength(1)
  working.get('a-0')?.()
  await untilCompleted(jobId)
  const { createdAt, updatedAt } = (await store.exportJobs.find(jobId ?? '')) ?? { createdAt: 1, updatedAt: 0 }
  expect(updatedAt).toBeGreaterThanOrEqual(createdAt)
  expect(logged).not.toContain('another runner has the lease of the export and continues it')
})

test('progress goes on after the clock was set back', async () => {
  const [jobId = ''] = await addOrganization('a', 1)
  run(1)
  await untilWorking('a-0')
  const report = (pagesDone: number) =>
    started[0]?.onProgress({ stage: 'fetch', pagesDone, pagesKnown: 10, pageCount: pagesDone })
  report(1)
  await waitFor(async () => ((await store.exportJobs.find(jobId))?.pageCount === 1 ? true : undefined))
  stepMs = -86_400_000
  await new Promise(done => setTimeout(done, 300))
  report(2)
  await waitFor(async () => ((await store.exportJobs.find(jobId))?.pageCount === 2 ? true : undefined), 5_000)
})
