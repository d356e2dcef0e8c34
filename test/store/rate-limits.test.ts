import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type RateLimits, takeRequest } from '../../server/tenancy/rate-limit.ts'
import { queuedJob } from '../support/export-job.ts'
import fc from '../support/fast-check.ts'
import { arbitraryMoments, compareWithModel } from '../support/rate-limit-model.ts'
import { shareTests, type TestStore } from './stores.ts'

const now = Date.UTC(2026, 10, 23)
const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }
let nodes: TestStore[]
const stores = shareTests(async ({ store, openOther }) => {
  nodes = [store, await openOther(), await openOther()]
  for (const id of ['org_1', 'org_2'])
    await store.organizations.insert({ id, name: 'Acme', plan: 'enterprise', createdAt: now })
})

/** Calls a method of the nodes in turn, without waiting for the others. */
const race = <T>(times: number, call: (node: TestStore, i: number) => T | Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, async (_, i) => call(nodes[i % nodes.length] as TestStore, i)))

stores.describe('three processes', () => {
  test('let exactly the quota of an organization through', async () => {
    const decisions = await race(200, node => takeRequest(node.rateLimits, 'org_1', budget, () => now))
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(100)
    const refused = decisions.filter(({ allowed }) => !allowed)
    expect(refused.map(({ headers }) => [headers.RateLimit, headers['Retry-After']])).toEqual(
      refused.map(() => ['"analytics";r=0;t=3600', '3600']),
    )
    const find = (id: string, at: number) => stores.store.rateLimits.findUsage(id, budget, at)
    expect(await find('org_1', now + 3_599_000)).toEqual({ used: 100, untilNextMs: 1000 })
    expect(await find('org_1', now + 3_600_000)).toMatchObject({ used: 0 })
    expect(await find('org_2', now)).toMatchObject({ used: 0 })
  })

  test('count as exactly as a list of all requests, whatever the clock does', async () => {
    const few = { quota: 3, windowSeconds: 10 }
    let run = 0
    await fc.assert(
      fc.asyncProperty(arbitraryMoments({ ...few, budget: '' }, 40), async moments => {
        let turn = 0
        const { insert } = stores.store.organizations
        const id = `org_run_${run++}`
        await insert({ id, name: 'Acme', plan: 'enterprise', createdAt: now })
        const take: RateLimits['take'] = (_, budget, clock) =>
          (nodes[turn++ % nodes.length] as TestStore).rateLimits.take(id, budget, clock)
        await compareWithModel(take, { ...few, budget: 'few' }, moments, now)
      }),
      { numRuns: 8 },
    )
  })

  test('claim each job once', async () => {
    const { exportJobs } = stores.store
    for (let i = 0; i < 30; i += 1) {
      const job = queuedJob({ jobId: `se_${i}`, organizationId: `org_${1 + (i % 2)}`, createdAt: now + i })
      await exportJobs.start(job, undefined, 0)
    }
    const claimed = await race(40, (node, i) => node.exportJobs.claim(`node ${i % 3}`, now, 10_000))
    const jobs = claimed.flatMap(found => (found ? [found.job.jobId] : []))
    expect(jobs).toHaveLength(30)
    expect(new Set(jobs).size).toBe(30)
  })

  test('start one job for one idempotency key, and queue no more than the limit', async () => {
    const start = (node: TestStore, jobId: string, key: string, maxQueued?: number) =>
      node.exportJobs.start(queuedJob({ jobId, organizationId: 'org_1', createdAt: now }), key, 0, maxQueued)
    const same = await race(12, (node, i) => start(node, `se_${i}`, 'key'))
    expect(same.filter(found => found !== 'conflict' && 'job' in found && !found.isReplayed)).toHaveLength(1)
    const more = await race(12, (node, i) => start(node, `se_x${i}`, `key ${i}`, 5))
    expect(more.filter(found => found !== 'conflict' && 'job' in found)).toHaveLength(4)
    expect(await stores.store.exportJobs.countOpen('org_1')).toEqual({ queued: 5, running: 0 })
  })
})

stores.describe('two programs', () => {
  const start = () => fork(join(import.meta.dirname, 'limited-process.ts'), [stores.url ?? stores.folder])
  const next = async (program: ChildProcess) => Number((await once(program, 'message'))[0])
  const request = (program: ChildProcess, requests: number) => {
    program.send({ budget: 'analytics', requests })
    return next(program)
  }

  test('let exactly 100 through together, and none more when they are started again', async () => {
    for (const want of [100, 0]) {
      const programs = [start(), start()]
      try {
        await Promise.all(programs.map(next))
        const allowed = await Promise.all(programs.map(program => request(program, 80)))
        expect(allowed.reduce((sum, count) => sum + count)).toBe(want)
      } finally {
        for (const program of programs) program.kill('SIGKILL')
      }
    }
  })
})
