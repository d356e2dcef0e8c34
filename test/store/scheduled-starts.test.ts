import { expect, test } from 'vitest'
import { type SchedulerDeps, startDue } from '../../server/export/jobs/scheduler.ts'
import { parseRhythm } from '../../server/tenancy/site-schedule.ts'
import { queuedJob } from '../support/export-job.ts'
import { shareTests, type TestStore } from './stores.ts'
import { insertOrganizations, now, project } from './tenants.ts'

const hourMs = 3_600_000
const domain = 'docs.example.com'
let store: TestStore
/** The clock, what the site looks like (null = unknown), and what the API answers in place of a job. */
let at: number
let fingerprint: string | null
let problem: string | undefined
let started: string[]
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  await store.projects.insert(project('prj_a'))
  await store.sites.insert({ domain, projectId: 'prj_a', origin: null, createdAt: now })
  at = now
  fingerprint = 'one'
  problem = undefined
  started = []
})

const running = new AbortController().signal

function createDeps(node: TestStore): SchedulerDeps {
  const ignore = () => {}
  return {
    ...{ siteSchedules: node.siteSchedules, sites: node.sites, exportJobs: node.exportJobs, now: () => at },
    readFingerprint: async () => fingerprint,
    async start({ organizationId, ...due }) {
      if (problem !== undefined) return { problem }
      const job = queuedJob({ jobId: `se_${started.length + 1}`, organizationId, createdAt: at })
      started.push(due.domain)
      await node.exportJobs.start(job, undefined, 0)
      return { jobId: job.jobId }
    },
    log: { info: ignore, warn: ignore, error: ignore },
  }
}

/** A minute of a node. */
const tick = (node = store) => startDue(createDeps(node), running)
const put = async (rhythm: string, { onlyIfChanged = false, nextAt = now } = {}) =>
  store.siteSchedules.put(domain, { rhythm: parseRhythm(rhythm), onlyIfChanged }, nextAt)
const find = async () => store.siteSchedules.find(domain)
const completeLast = async () => {
  const claimed = await store.exportJobs.claim('runner', at, 60_000)
  if (!claimed) throw new Error('no job waits')
  const bundle = { fileName: `${claimed.job.jobId}.zip`, sizeBytes: 1, sha256: 'a'.repeat(64) }
  await store.exportJobs.complete(claimed.lease, bundle, 1, at)
}

stores.describe('starts of exports by the schedule of their site', () => {
  test('of two nodes that find a start due, one starts the export', async () => {
    const other = await stores.openOther()
    await put('every 6h')
    await Promise.all([tick(store), tick(other), tick(store), tick(other)])
    expect(started).toEqual([domain])
    expect(await find()).toMatchObject({
      nextAt: now + 6 * hourMs,
      jobId: 'se_1',
      startedAt: now,
      fingerprint: null,
      outcome: { kind: 'started', at: now, problem: null },
    })
    at = now + 6 * hourMs - 1
    await tick()
    expect(started).toHaveLength(1)
  })

  test('starts that were missed while no server ran are made once', async () => {
    await put('every 6h')
    at = now + 50 * hourMs
    await tick()
    await tick()
    expect(started).toHaveLength(1)
    expect((await find())?.nextAt).toBe(now + 54 * hourMs)
  })

  test('a node that is killed after its claim loses this start, and nobody makes it', async () => {
    await put('every 6h')
    await store.siteSchedules.claim(domain, now, now + 6 * hourMs)
    await tick()
    expect(started).toEqual([])
    at = now + 6 * hourMs
    await tick()
    expect(started).toHaveLength(1)
  })

  test('a start is skipped while an export of the site has not ended, which is told', async () => {
    await put('every 1h')
    await tick()
    at = now + hourMs
    await tick()
    expect(started).toHaveLength(1)
    expect((await find())?.outcome).toEqual({ kind: 'active', at, problem: null })
    await completeLast()
    at = now + 2 * hourMs
    await tick()
    expect(started).toHaveLength(2)
  })

  test('a refusal and a fault are told, and the next start is made', async () => {
    await put('every 1h')
    problem = 'The queue is full.'
    await tick()
    expect((await find())?.outcome).toEqual({ kind: 'refused', at: now, problem })
    at = now + hourMs
    const broken = { ...createDeps(store), start: async () => Promise.reject(new Error('broken')) }
    await startDue(broken, running)
    expect((await find())?.outcome).toMatchObject({ kind: 'refused', at, problem: expect.stringContaining('its log') })
    at = now + 2 * hourMs
    problem = undefined
    await tick()
    expect((await find())?.outcome?.kind).toBe('started')
  })

  test('a site that did not change is not exported again, unless that is unknown, its rules changed or the export failed', async () => {
    const hour = async (number: number) => {
      at = now + number * hourMs
      await tick()
      const { outcome } = (await find()) ?? {}
      if (outcome?.kind === 'started') await completeLast()
      return outcome?.kind
    }
    await put('every 1h', { onlyIfChanged: true })
    expect(await hour(0)).toBe('started')
    expect(await hour(1)).toBe('unchanged')
    expect(await find()).toMatchObject({ startedAt: now, outcome: { at: now + hourMs } })
    fingerprint = 'two'
    expect(await hour(2)).toBe('started')
    await store.sites.updateRemoval(domain, {
      removeSelectors: ['#ask'],
      removeScripts: [],
      keep: [],
      products: [],
      excludePages: [],
    })
    expect(await hour(3)).toBe('started')
    expect(await hour(4)).toBe('unchanged')
    fingerprint = null
    expect(await hour(5)).toBe('started')
    fingerprint = 'two'
    expect(await hour(6)).toBe('started')
    await store.exportJobs.delete((await find())?.jobId ?? '', at, false)
    expect(await hour(7)).toBe('started')
    // What is behind a login cannot be known without it.
    await store.sites.updateLogin(domain, { sealed: Buffer.from('sealed'), at })
    expect(await hour(8)).toBe('started')
    expect(await hour(9)).toBe('started')
  })
})

stores.describe('scheduled starts when the server stops or the database fails', () => {
  test('a server that stops claims nothing more', async () => {
    await put('every 1h')
    await startDue(createDeps(store), AbortSignal.abort())
    expect(await find()).toMatchObject({ nextAt: now, outcome: null })
  })

  test('a server that stops during a check starts nothing, and leaves the start due', async () => {
    await put('every 1h', { onlyIfChanged: true })
    const stopping = new AbortController()
    const readFingerprint = async () => {
      stopping.abort()
      return null
    }
    await startDue({ ...createDeps(store), readFingerprint }, stopping.signal)
    expect(started).toEqual([])
    expect(await find()).toMatchObject({ nextAt: now, outcome: null })
    await tick()
    expect(started).toEqual([domain])
  })

  test('a check that was ended does not undo a change of the schedule', async () => {
    await put('every 1h', { onlyIfChanged: true })
    const stopping = new AbortController()
    const readFingerprint = async () => {
      await put('every 6h', { nextAt: now + 6 * hourMs })
      stopping.abort()
      return null
    }
    await startDue({ ...createDeps(store), readFingerprint }, stopping.signal)
    expect((await find())?.nextAt).toBe(now + 6 * hourMs)
  })

  test('a claim that fails does not end the run while other starts are made', async () => {
    const other = 'a.example.com'
    await store.sites.insert({ domain: other, projectId: 'prj_a', origin: null, createdAt: now })
    await store.siteSchedules.put(other, { rhythm: parseRhythm('every 1h'), onlyIfChanged: false }, now - 1)
    await put('every 1h')
    const deps = createDeps(store)
    const siteSchedules: SchedulerDeps['siteSchedules'] = Object.assign(Object.create(store.siteSchedules), {
      claim: async (...args: [string, number, number]) =>
        args[0] === other ? Promise.reject(new Error('broken')) : store.siteSchedules.claim(...args),
    })
    const logged: object[] = []
    await startDue({ ...deps, siteSchedules, log: { ...deps.log, error: details => logged.push(details) } }, running)
    expect(started).toEqual([domain])
    expect((await find())?.outcome?.kind).toBe('started')
    expect(logged).toMatchObject([{ domain: other, err: { message: 'broken' } }])
    await tick()
    expect(started).toEqual([domain, other])
  })

  test('a start that cannot be recorded is not recorded as refused', async () => {
    await put('every 1h')
    const kinds: string[] = []
    const siteSchedules: SchedulerDeps['siteSchedules'] = Object.assign(Object.create(store.siteSchedules), {
      record: async (_: string, { kind }: { kind: string }) => {
        kinds.push(kind)
        throw new Error('broken')
      },
    })
    await startDue({ ...createDeps(store), siteSchedules }, running)
    expect(started).toEqual([domain])
    expect(kinds).toEqual(['started'])
  })
})
