import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ExportJob } from '../../../server/export/jobs/export-job.ts'
import { type Runner, type RunnerDeps, startRunner } from '../../../server/export/jobs/runner.ts'
import { ExportError } from '../../../server/export/model/export-error.ts'
import { defaultLimits } from '../../../server/export/model/limits.ts'
import type { ExportCalls, ExportTask, RunExport } from '../../../server/export/model/options.ts'
import { noRemovalRules } from '../../../server/products/removal-rules.ts'
import { openBundleFiles } from '../../../server/store/bundle-files.ts'
import { openLostFolder } from '../../../server/store/lost-files.ts'
import { openStore, type Store } from '../../../server/store/store.ts'
import { createId } from '../../../server/tenancy/id.ts'
import { queuedJob } from '../../support/export-job.ts'
import { waitFor } from '../../support/export-site.ts'
import { createOrganization } from '../../support/server.ts'

// Tests the loop around an export: leases, progress and results. A function replaces the export itself.
// A long file: all ways in which an attempt at a job can end, on one store and one runner.

let folder: string
let store: Store
let organization: { organizationId: string; projectId: string }
let runner: Runner | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-runner-'))
  store = openStore(join(folder, 'data'))
  organization = await createOrganization(store)
  await store.sites.insert({
    domain: 'docs.example.com',
    projectId: organization.projectId,
    origin: null,
    createdAt: 0,
  })
})
afterEach(async () => {
  await runner?.stop()
  runner = undefined
  store.close()
  await rm(folder, { recursive: true, force: true })
})

async function startJob(asked: Partial<ExportJob['request']> = {}): Promise<string> {
  const jobId = createId('se')
  const { organizationId } = organization
  const request = { domain: 'docs.example.com', ...asked }
  await store.exportJobs.start(queuedJob({ jobId, organizationId, createdAt: Date.now(), request }), undefined, 0)
  return jobId
}

const openBundles = () => openBundleFiles(join(folder, 'bundles'), openLostFolder(folder))

function run(
  engine: (options: ExportTask & ExportCalls) => Promise<void>,
  leaseMs = 5_000,
  jobTimeoutMs = defaultLimits.jobTimeoutMs,
): void {
  const runExport: RunExport = async (task, calls) => {
    await engine({ ...task, ...calls })
    await writeFile(task.outFile, 'bundle')
    return {
      pageCount: 3,
      sizeBytes: 6,
      sha256: 'b'.repeat(64),
      report: {} as never,
      stageSeconds: {},
      browserProblem: null,
    }
  }
  runner = start({ runExport, leaseMs, limits: { ...defaultLimits, jobTimeoutMs } })
}

function start(options: Pick<RunnerDeps, 'runExport'> & Partial<RunnerDeps>): Runner {
  return startRunner({
    exportJobs: store.exportJobs,
    sites: store.sites,
    openLogin: () => null,
    bundles: openBundles(),
    cache: null,
    engine: 'test',
    limits: defaultLimits,
    verify: 'static',
    allowLoss: false,
    allowNoSandbox: false,
    workFolder: join(folder, 'work'),
    owner: 'test',
    leaseMs: 5_000,
    exportsAtOnce: 1,
    hasOthers: false,
    now: Date.now,
    log: { info() {}, warn() {}, error() {} },
    ...options,
  })
}

/** Rejects when the signal aborts, as an export does. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    await new Promise(done => setTimeout(done, 10))
  }
}

const settled = (jobId: string) =>
  waitFor(async () => {
    const job = await store.exportJobs.find(jobId)
    return job && job.status !== 'queued' && job.status !== 'running' ? job : undefined
  })

test('a finished job publishes its bundle and leaves no temporary files', async () => {
  const jobId = await startJob()
  run(async () => {})
  const bundle = { fileName: `${jobId}-1.zip`, sizeBytes: 6, sha256: 'b'.repeat(64) }
  expect(await settled(jobId)).toMatchObject({ status: 'completed', progress: 100, pageCount: 3, bundle })
  expect(await readdir(join(folder, 'bundles'))).toEqual([`${jobId}-1.zip`])
  await waitFor(async () => ((await readdir(join(folder, 'work'))).length === 0 ? true : undefined))
})

test('temporary files of killed exports are removed at the start, unless the job is still open', async () => {
  const [open, ended] = [await startJob(), await startJob()]
  const claim = await store.exportJobs.claim('other', Date.now(), 60_000)
  const other = claim?.job.jobId === open ? ended : open
  const claimed = claim?.job.jobId ?? ''
  const second = await store.exportJobs.claim('killed', Date.now(), 60_000)
  if (second) await store.exportJobs.fail(second.lease, 'It was killed.', Date.now())
  const work = join(folder, 'work')
  for (const name of [`${claimed}-1`, `${other}-1`, 'se_0000000000000000-3', 'notes', 'se_x']) {
    await mkdir(join(work, name, 'site'), { recursive: true })
  }
  await symlink('notes', join(work, 'se_0000000000000001-1'))
  run(async () => {})
  // A folder of an unknown job stays too: the database may be an older backup.
  const left = [`${claimed}-1`, 'notes', 'se_0000000000000000-3', 'se_0000000000000001-1', 'se_x'].sort()
  await waitFor(async () => ((await readdir(work)).length === left.length ? true : undefined))
  expect((await readdir(work)).sort()).toEqual(left)
})

test('exports fail when text is lost, unless the server allows it', async () => {
  const given: ExportTask['allowLoss'][] = []
  const runExport: RunExport = async ({ allowLoss }) => {
    given.push(allowLoss)
    throw new ExportError('a.html loses 50% of its words; pass --allow-loss.', 'text_lost')
  }
  const jobId = await startJob()
  runner = start({ runExport, allowLoss: true })
  expect(await settled(jobId)).toMatchObject({ status: 'failed', error: expect.stringContaining('a.html loses 50%') })
  expect(given).toEqual([true])
})

test('exports use the settings of the site', async () => {
  const removal = { ...noRemovalRules, excludePages: ['/internal/*'] }
  await store.sites.updateRemoval('docs.example.com', removal)
  await store.sites.updateAllowedOrigins('docs.example.com', ['http://10.0.0.7:9000'])
  const given: Pick<ExportTask, 'removal' | 'alsoAllowed'>[] = []
  const jobId = await startJob()
  run(async ({ removal = null, alsoAllowed = [] }) => void given.push({ removal, alsoAllowed }))
  await settled(jobId)
  expect(given).toEqual([{ removal, alsoAllowed: [new URL('http://10.0.0.7:9000')] }])
})

test.each([
  [
    new ExportError('The site does not answer; check its origin.', 'unreachable'),
    'The site does not answer; check its origin.',
  ],
  [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'The disk of the server is full.'],
  [new TypeError('x is not a function'), 'The export failed because of an internal server error.'],
])('a job that fails with %s stores a sentence for people', async (error, message) => {
  const jobId = await startJob()
  const fail = async () => {
    throw error
  }
  // On a full disk, an export waits for room until its time limit.
  run(fail, 5_000, 100)
  const job = await settled(jobId)
  expect(job).toMatchObject({ status: 'failed', bundle: null, error: expect.stringContaining(message) })
  expect(job.error).not.toContain('x is not a function')
})

test('a job fails when its site was removed meanwhile', async () => {
  const jobId = await startJob()
  await store.sites.delete('docs.example.com')
  run(async () => {})
  expect((await settled(jobId)).error).toContain('no longer registered')
})

test('a stop interrupts the job, and the next runner takes it over at once', async () => {
  const jobId = await startJob()
  run(({ signal }) => untilAborted(signal))
  await waitFor(async () => ((await store.exportJobs.find(jobId))?.status === 'running' ? true : undefined))
  await runner?.stop()
  expect(await store.exportJobs.find(jobId)).toMatchObject({ status: 'running' })
  run(async () => {})
  expect((await settled(jobId)).status).toBe('completed')
})

test('a runner that lost its lease stops and leaves the job to the other runner', async () => {
  const jobId = await startJob()
  let aborted = false
  run(async ({ signal }) => {
    await untilAborted(signal).finally(() => {
      aborted = true
    })
  }, 300)
  await waitFor(async () => ((await store.exportJobs.find(jobId))?.status === 'running' ? true : undefined))
  const stolen = await store.exportJobs.claim('other', Date.now() + 3_600_000, 3_600_000)
  expect(stolen?.job.jobId).toBe(jobId)
  await waitFor(async () => (aborted ? true : undefined))
  expect(await store.exportJobs.find(jobId)).toMatchObject({ status: 'running', error: null })
})

test('a runner that was stalled until its lease was void leaves the bundle of its successor alone', async () => {
  const jobId = await startJob()
  const hasBegun = Promise.withResolvers<void>()
  const stall = Promise.withResolvers<void>()
  const exporting = (content: string, until?: Promise<void>): RunExport => {
    return async ({ outFile }) => {
      hasBegun.resolve()
      await until
      // The successor removed the work folder of the stalled runner; an export that goes on creates its folders again.
      await mkdir(dirname(outFile), { recursive: true })
      await writeFile(outFile, content)
      const sha256 = createHash('sha256').update(content).digest('hex')
      const result = { pageCount: 1, sizeBytes: content.length, sha256, report: {} as never, stageSeconds: {} }
      return { ...result, browserProblem: null }
    }
  }
  // Its heartbeat is stalled too.
  const first = start({ runExport: exporting('of the stalled runner', stall.promise), leaseMs: 3_600_000 })
  await hasBegun.promise
  const second = start({ runExport: exporting('of its successor'), now: () => Date.now() + 3_600_001 })
  const { bundle } = await settled(jobId)
  stall.resolve()
  await Promise.all([first.stop(), second.stop()])
  const fileName = bundle?.fileName ?? ''
  expect(await readFile(join(folder, 'bundles', fileName), 'utf8')).toBe('of its successor')
  expect(await readdir(join(folder, 'bundles'))).toEqual([fileName])
})

test('a database that is locked for a while ends neither the export nor the process', async () => {
  const jobId = await startJob()
  const busy = () => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  }
  const { heartbeat, report } = store.exportJobs
  Object.assign(store.exportJobs, { heartbeat: busy, report: busy })
  run(async ({ onProgress }) => {
    onProgress({ stage: 'fetch', pagesDone: 1, pagesKnown: 3, pageCount: 1 })
    await new Promise(done => setTimeout(done, 500))
    Object.assign(store.exportJobs, { heartbeat, report })
  }, 300)
  expect((await settled(jobId)).status).toBe('completed')
})

test.each(['crashed', 'stalled'] as const)('an export whose process %s starts once more', async code => {
  const jobId = await startJob()
  let runs = 0
  run(async () => {
    runs += 1
    if (runs === 1) throw new ExportError('The process ended.', code)
  })
  expect((await settled(jobId)).status).toBe('completed')
  expect(runs).toBe(2)
})

test('an export whose process crashes or stalls twice fails, also if the runner changes in between', async () => {
  const jobId = await startJob()
  let runs = 0
  const crash = async () => {
    runs += 1
    throw new ExportError('The process ended.', runs === 1 ? 'crashed' : 'stalled')
  }
  run(crash)
  await waitFor(async () => (runs > 0 ? true : undefined))
  await runner?.stop()
  run(crash)
  expect(await settled(jobId)).toMatchObject({ status: 'failed', error: 'The process ended.' })
  expect(runs).toBe(2)
})

test.each(['memory', 'timeout'] as const)('an export over its limit of %s fails at once', async code => {
  const jobId = await startJob()
  let runs = 0
  run(async () => {
    runs += 1
    throw new ExportError('Over the limit.', code)
  })
  expect(await settled(jobId)).toMatchObject({ status: 'failed', error: 'Over the limit.' })
  expect(runs).toBe(1)
})

test('a job that is cancelled while it runs ends within 5 seconds, and its files are removed', async () => {
  const jobId = await startJob()
  const ended = Promise.withResolvers<void>()
  run(({ signal }) => untilAborted(signal).finally(ended.resolve), 15_000)
  await waitFor(async () => ((await store.exportJobs.find(jobId))?.status === 'running' ? true : undefined))
  const cancelledAt = performance.now()
  expect(await store.exportJobs.cancel(jobId, 'Cancelled by Ada.', Date.now())).toBe(true)
  await ended.promise
  expect(performance.now() - cancelledAt).toBeLessThan(5000)
  await waitFor(async () => ((await readdir(join(folder, 'work'))).length === 0 ? true : undefined))
  expect(await store.exportJobs.find(jobId)).toMatchObject({ status: 'failed', error: 'Cancelled by Ada.' })
})

test('a job that crashes its server many times fails', async () => {
  const jobId = await startJob()
  for (let i = 0; i <= 31; i++) await store.exportJobs.claim('gone', Date.now() - 100_000 + i * 1000, 500)
  run(async () => {}, 5_000)
  // All these leases have already ended.
  expect(await waitFor(async () => (await store.exportJobs.find(jobId))?.error ?? undefined, 60_000)).toContain(
    'interrupted',
  )
})

test('progress is that of the model, and without a browser the archive is the last part', async () => {
  const jobId = await startJob()
  const seen: number[] = []
  run(async ({ onProgress }) => {
    for (const progress of [
      { stage: 'discover', pagesDone: 0, pagesKnown: 0, pageCount: 0 },
      { stage: 'fetch', pagesDone: 5, pagesKnown: 10, pageCount: 5 },
      { stage: 'fetch', pagesDone: 10, pagesKnown: 10, pageCount: 10 },
      { stage: 'archive', pagesDone: 5, pagesKnown: 10, pageCount: 5 },
    ] as const) {
      onProgress(progress)
      await new Promise(done => setTimeout(done, 300))
      seen.push((await store.exportJobs.find(jobId))?.progress ?? -1)
    }
  })
  await settled(jobId)
  expect(seen).toEqual([0, 22.5, 45, 89.5])
})

test.each([
  ['as the server is configured', null, 'static'],
  ['as the caller asked', 'full', 'full'],
] as const)('a bundle is verified %s', async (_how, asked, want) => {
  const jobId = await startJob({ verify: asked })
  let verified: unknown
  run(async ({ verify }) => {
    verified = verify
  })
  await settled(jobId)
  expect(verified).toBe(want)
})

describe('a site that needs a browser, on a machine whose browser does not start', () => {
  const failing: RunExport = async () => {
    throw new ExportError('Chromium (/opt/secret/chromium) could not be started.', 'browser_failed')
  }

  test('fails with a reason that names no path of the server, where no other runner is', async () => {
    const jobId = await startJob()
    runner = start({ runExport: failing })
    expect(await settled(jobId)).toMatchObject({
      status: 'failed',
      error:
        'docs.example.com builds its pages in the browser, and Chromium cannot be started on this server. Its operator must act: npx quire doctor says why.',
    })
  })

  test('is left to another runner, and other jobs go on', async () => {
    const jobId = await startJob()
    let attempts = 0
    const failingOnce: RunExport = (task, calls) => {
      attempts += 1
      return attempts === 1 ? failing(task, calls) : engine(task)
    }
    const engine = async ({ outFile }: { outFile: string }) => {
      await writeFile(outFile, 'bundle')
      const result = { pageCount: 1, sizeBytes: 6, sha256: 'b'.repeat(64), report: {} as never, stageSeconds: {} }
      return { ...result, browserProblem: null }
    }
    const first = start({ runExport: failingOnce, hasOthers: true })
    await waitFor(async () => attempts === 1 || undefined)
    const otherId = await startJob()
    expect(await settled(otherId)).toMatchObject({ status: 'completed' })
    expect((await store.exportJobs.find(jobId))?.status).toBe('running')
    const second = start({ runExport: engine, owner: 'other' })
    expect(await settled(jobId)).toMatchObject({ status: 'completed' })
    expect(attempts).toBe(2)
    await Promise.all([first.stop(), second.stop()])
  })
})
