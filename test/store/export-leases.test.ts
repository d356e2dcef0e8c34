import { expect, test } from 'vitest'
import type { ClaimLimits, ExportJobs } from '../../server/export/jobs/export-job.ts'
import { queuedJob } from '../support/export-job.ts'
import { shareTests } from './stores.ts'

const now = Date.UTC(2026, 10, 20)
const leaseMs = 10_000
const limits: ClaimLimits = { maxPerOrganization: 100, heldJobs: [], takesOver: true }

let jobs: ExportJobs
const stores = shareTests(async ({ store }) => {
  jobs = store.exportJobs
  for (const id of ['flood', 'b', 'c'])
    await store.organizations.insert({ id, name: id, plan: 'enterprise', createdAt: now })
})

let queued = 0
async function queue(organizationId: string, count: number, domain = `${organizationId}.example.com`): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    queued += 1
    const jobId = `se_${organizationId}_${String(queued).padStart(6, '0')}`
    await jobs.start(queuedJob({ jobId, organizationId, createdAt: now + queued, request: { domain } }), undefined, 0)
  }
}

interface Claiming {
  /** In whose name; one owner = one process. */
  owner?: string
  at?: number
  limits?: Partial<ClaimLimits>
  from?: ExportJobs
}

const claim = ({ owner = 'a', at = now, limits: more = {}, from = jobs }: Claiming = {}) =>
  from.claim(owner, at, leaseMs, { ...limits, ...more })

/** Claims and returns whose job it was. */
const claimOf = async (options?: Claiming) => (await claim(options))?.job.organizationId

stores.describe('whose turn it is', () => {
  test('an organization with hundreds of jobs and one with a few take turns', async () => {
    await queue('flood', 300)
    await queue('b', 2)
    const order: unknown[] = []
    for (let i = 0; i < 6; i += 1) {
      const claimed = await claim()
      if (!claimed) break
      order.push(claimed.job.organizationId)
      await jobs.fail(claimed.lease, 'done', now)
    }
    expect(order).toEqual(['flood', 'b', 'flood', 'b', 'flood', 'flood'])
  })

  test('first come the organizations with the fewest exports at work', async () => {
    await queue('flood', 10)
    expect([await claimOf(), await claimOf()]).toEqual(['flood', 'flood'])
    await queue('b', 3)
    expect([await claimOf(), await claimOf(), await claimOf()]).toEqual(['b', 'b', 'flood'])
  })

  test('then the one that was served longest ago, also after the clock was set back', async () => {
    await queue('flood', 5)
    await queue('b', 5)
    await queue('c', 5)
    const yearMs = 365 * 86_400_000
    const order: unknown[] = []
    for (const at of [now + yearMs, now, now - yearMs, now, now, now]) {
      const claimed = await claim({ at })
      order.push(claimed?.job.organizationId)
      if (claimed) await jobs.fail(claimed.lease, 'done', at)
    }
    expect(order).toEqual(['flood', 'b', 'c', 'flood', 'b', 'c'])
  })

  test('two processes share the turns', async () => {
    const others = (await stores.openOther()).exportJobs
    await queue('flood', 10)
    await queue('b', 1)
    await queue('c', 1)
    const order = [
      await claimOf(),
      await claimOf({ owner: 'other', from: others }),
      await claimOf(),
      await claimOf({ owner: 'other', from: others }),
    ]
    expect(order).toEqual(['flood', 'b', 'c', 'flood'])
  })

  test('of one organization, a site that no export works on comes before an older job', async () => {
    await queue('b', 2, 'one.example.com')
    await queue('b', 1, 'two.example.com')
    const domains: unknown[] = []
    for (let i = 0; i < 3; i += 1) domains.push((await claim())?.job.request.domain)
    expect(domains).toEqual(['one.example.com', 'two.example.com', 'one.example.com'])
  })
})

stores.describe('how many', () => {
  test('a process works on no more exports of one organization than it may', async () => {
    await queue('flood', 10)
    const most = { limits: { maxPerOrganization: 2 } }
    expect([await claimOf(most), await claimOf(most), await claimOf(most)]).toEqual(['flood', 'flood', undefined])
    expect(await claimOf({ ...most, owner: 'other' })).toBe('flood')
    await queue('b', 1)
    expect(await claimOf(most)).toBe('b')
  })

  test('an organization queues no more than its limit, and others are not affected', async () => {
    await queue('flood', 2)
    const start = (jobId: string, organizationId = 'flood') =>
      jobs.start(queuedJob({ jobId, organizationId, createdAt: now }), `key of ${jobId}`, 0, 3)
    expect(await start('se_1')).toMatchObject({ job: { jobId: 'se_1' } })
    expect(await start('se_2')).toEqual({ queued: 3 })
    expect(await jobs.find('se_2')).toBeUndefined()
    expect(await start('se_1')).toMatchObject({ job: { jobId: 'se_1' } })
    expect(await start('se_3', 'b')).toMatchObject({ job: { jobId: 'se_3' } })
    // One that runs is not queued.
    await claim()
    expect(await start('se_2')).toMatchObject({ job: { jobId: 'se_2' } })
  })
})

stores.describe('interrupted jobs', () => {
  test('an interrupted job continues before queued jobs of others', async () => {
    await queue('flood', 1)
    const first = await claim()
    await queue('b', 5)
    expect(await claim({ at: now + leaseMs })).toMatchObject({ job: { jobId: first?.job.jobId }, interruptions: 1 })
  })

  test('a job that is interrupted again and again waits for its turn', async () => {
    await queue('flood', 1)
    const last = now + 3 * leaseMs
    for (let at = now; at <= last; at += leaseMs) expect(await claimOf({ at })).toBe('flood')
    await queue('b', 1)
    expect(await claimOf({ at: last + leaseMs })).toBe('b')
  })

  test('a job is not claimed again by the process that works on it', async () => {
    await queue('b', 1)
    const jobId = (await claim())?.job.jobId ?? ''
    const later = now + 365 * 86_400_000
    expect(await claim({ at: later, limits: { heldJobs: [jobId] } })).toBeUndefined()
    expect(await claim({ at: later, limits: { takesOver: false } })).toBeUndefined()
    expect(await claim({ at: later })).toMatchObject({ job: { jobId }, interruptions: 1 })
  })

  test('a process that takes over nothing still claims queued and released jobs', async () => {
    await queue('b', 2)
    const first = await claim()
    if (first) await jobs.release(first.lease)
    const gentle = { limits: { takesOver: false } }
    expect([await claimOf(gentle), await claimOf(gentle), await claimOf(gentle)]).toEqual(['b', 'b', undefined])
  })
})
