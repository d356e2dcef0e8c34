import { describe, expect, test } from 'vitest'
import { transition } from '../../server/agent/agent-job.ts'
import { createClockCheck } from '../../server/base/clock-check.ts'
import { createBundleLinks } from '../../server/export/jobs/bundle-link.ts'
import type { ExportJob } from '../../server/export/jobs/export-job.ts'
import { createKey, hashKey } from '../../server/tenancy/api-key.ts'
import { takeRequest } from '../../server/tenancy/rate-limit.ts'
import { queuedJob } from '../support/export-job.ts'
import { shareTests, type TestStore } from './stores.ts'

// A clock that is set while Quire has data: what was stored before must neither lock anybody out nor get lost.

const now = Date.UTC(2026, 10, 20, 12)
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs
const leaseMs = 15_000

/** What the clock showed before the step, relative to the true time at which it is set right or wrong. */
const usualSteps: [step: string, byMs: number][] = [
  ['back by a day', -dayMs],
  ['forward by a day', dayMs],
]
/** Those of clock-steps.long.test.ts. */
const longSteps: typeof usualSteps = [
  ['back by an hour', -hourMs],
  ['back by a year', -yearMs],
  ['forward by an hour', hourMs],
  ['forward by a year', yearMs],
]
const steps = process.env.QUIRE_TEST_LONG === '1' ? longSteps : usualSteps

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'enterprise', createdAt: now })
})
/** Defines tests that run for each step of the clock, on both stores. */
function defineSteps(title: string, tests: (byMs: number) => void): void {
  stores.describe(title, () => {
    describe.each(steps)('after the clock was set %s', (_step, byMs) => tests(byMs))
  })
}

const newJob = (jobId: string, at: number, domain?: string) =>
  queuedJob({ jobId, organizationId: 'org_1', createdAt: at, ...(domain && { request: { domain } }) })

async function claim(at: number) {
  const claimed = await store.exportJobs.claim('owner', at, leaseMs)
  if (!claimed) throw new Error('There is nothing to claim.')
  return claimed
}

async function complete(jobId: string, at: number): Promise<void> {
  await store.exportJobs.start(newJob(jobId, at), `key of ${jobId}`, 0)
  const { lease } = await claim(at)
  const bundle = { fileName: `${jobId}.zip`, sizeBytes: 1, sha256: 'a'.repeat(64) }
  if (!(await store.exportJobs.complete(lease, bundle, 1, at))) throw new Error('The lease was lost.')
}

defineSteps('rate limit', byMs => {
  const later = now + byMs
  const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }
  const take = (at: number) => takeRequest(store.rateLimits, 'org_1', budget, () => at)

  test('one request before the step leaves 99 or more', async () => {
    await take(now)
    const passed: boolean[] = []
    for (let i = 0; i < 99; i += 1) passed.push((await take(later)).allowed)
    expect(passed).not.toContain(false)
  })

  test('a spent budget is free again after an hour, as Retry-After says', async () => {
    for (let i = 0; i < 100; i += 1) await take(now)
    if (byMs > 0) for (let i = 0; i < 100; i += 1) await take(later)
    const refused = await take(later)
    expect(refused).toMatchObject({ allowed: false, headers: { 'Retry-After': '3600' } })
    expect((await take(later + hourMs - 1)).allowed).toBe(false)
    expect((await take(later + hourMs)).headers.RateLimit).toContain('r=99')
  })

  test('a request under the wrong clock does not count for longer than any other', async () => {
    await take(later)
    expect((await take(now)).allowed).toBe(true)
    expect((await take(now + hourMs - 1)).allowed).toBe(true)
    expect((await take(now + 2 * hourMs - 1)).headers.RateLimit).toContain('r=99')
  })
})

defineSteps('leases', byMs => {
  const later = now + byMs
  test('the job of a dead runner waits for one lease at most', async () => {
    await store.exportJobs.start(newJob('se_1', now), undefined, 0)
    await claim(now)
    const poll = (at: number) => store.exportJobs.claim('other', at, leaseMs)
    const found = (await poll(later)) ?? (await poll(later + leaseMs))
    expect(found?.job.jobId).toBe('se_1')
  })

  test('a runner that lives keeps its job if it renews its lease', async () => {
    await store.exportJobs.start(newJob('se_1', now), undefined, 0)
    const { lease } = await claim(now)
    // After a step forward, runners take nothing over for the time of a lease, see runner.ts.
    const limits = { maxPerOrganization: 1, heldJobs: [], takesOver: byMs < 0 }
    for (let at = later; at < later + 10 * leaseMs; at += leaseMs / 3) {
      expect(await store.exportJobs.claim('other', at, leaseMs, limits)).toBeUndefined()
      expect(await store.exportJobs.heartbeat(lease, at, leaseMs)).toBe(true)
    }
  })
})

defineSteps('times of jobs', byMs => {
  const later = now + byMs
  const expectOrder = async (jobId: string, after = now) => {
    const { createdAt, updatedAt } = (await store.exportJobs.find(jobId)) as ExportJob
    expect(updatedAt).toBeGreaterThanOrEqual(createdAt)
    expect(updatedAt).toBeGreaterThanOrEqual(after)
  }

  test('updatedAt is never before createdAt and never falls', async () => {
    await store.exportJobs.start(newJob('se_1', now), undefined, 0)
    const { lease } = await claim(later)
    await expectOrder('se_1')
    await store.exportJobs.report(lease, 1, 1, later)
    await expectOrder('se_1')
    await store.exportJobs.complete(lease, { fileName: 'x.zip', sizeBytes: 1, sha256: 'x' }, 1, later)
    await expectOrder('se_1')
    await store.exportJobs.start(newJob('se_2', now), undefined, 0)
    await store.exportJobs.fail((await claim(later)).lease, 'It failed.', later)
    await expectOrder('se_2')
  })

  test('an agent job is not archived before it was created', () => {
    const source = { repository: 'https://git.example.com/docs', ref: null }
    const job = { projectId: 'p', id: 'aj_1', status: 'completed' as const, source, model: 'm', prLink: null }
    const { archivedAt } = transition({ ...job, createdAt: now, archivedAt: null }, 'archived', later)
    expect(archivedAt).toBe(Math.max(now, later))
  })
})

defineSteps('links', byMs => {
  const later = now + byMs
  const key = Buffer.alloc(32, 7)
  const links = createBundleLinks({ keys: { current: () => key, replaced: () => [] }, ttlSeconds: 3600 })

  test('a link never lives longer than 7 days', () => {
    const path = links.create('se_1', 'se_1.zip', links.expiresAt(later))
    const lives = [...Array(400).keys()].filter(day => links.isValid(path, now + day * dayMs))
    expect(lives.length).toBeLessThanOrEqual(8)
    // From its own time on, it works as promised.
    expect(links.isValid(path, later + hourMs)).toBe(true)
    expect(links.isValid(path, later + hourMs + 1000)).toBe(false)
  })

  test('a link that was made before the step keeps no export for longer than 7 days', async () => {
    await complete('se_1', now)
    await store.exportJobs.noteLink('se_1', links.expiresAt(later))
    expect(await store.exportJobs.findEnded(now + 8 * dayMs, now + 8 * dayMs)).toEqual(['se_1'])
    expect(await store.exportJobs.delete('se_1', now + 8 * dayMs, false)).toEqual({ fileName: 'se_1.zip' })
  })

  test('a link of now keeps its export, whatever link there was before', async () => {
    await complete('se_1', now)
    await store.exportJobs.noteLink('se_1', later + hourMs)
    await store.exportJobs.noteLink('se_1', now + hourMs)
    expect(await store.exportJobs.delete('se_1', now + hourMs, false)).toBe('linked')
  })
})

defineSteps('idempotency keys', byMs => {
  const later = now + byMs
  const windowMs = dayMs
  const start = (jobId: string, at: number, domain?: string) =>
    store.exportJobs.start(newJob(jobId, at, domain), 'key', at - windowMs)

  test('a key does not refuse another request for longer than a day', async () => {
    await start('se_1', now)
    await start('se_2', later, 'other.example.com')
    const free = await start('se_3', later + dayMs + 1, 'third.example.com')
    expect(free).toMatchObject({ job: { jobId: 'se_3' } })
  })

  test('a key is remembered when the clock is right again', async () => {
    await start('se_1', now)
    await store.exportJobs.start(newJob('se_2', later), 'another key', later - windowMs)
    expect(await start('se_3', now + 1000)).toMatchObject({ job: { jobId: 'se_1' } })
  })
})

defineSteps('API keys', byMs => {
  const later = now + byMs
  async function insertKey(expiresAt: number | null) {
    const secret = createKey('quire_')
    const rest = { organizationId: 'org_1', name: 'ci', last4: secret.slice(-4), scopes: ['read' as const] }
    const key = { id: 'key_1', ...rest, createdAt: now, expiresAt, revokedAt: null, lastUsedAt: null }
    await store.apiKeys.insert(key, hashKey(secret))
    return hashKey(secret)
  }
  const lastUsed = async () => (await store.apiKeys.list())[0]?.lastUsedAt

  test('a key works, and its last use is that of the clock', async () => {
    const secret = await insertKey(null)
    for (const at of [now, later, now + 120_000]) {
      expect(await store.apiKeys.authenticate(secret, at)).toBeDefined()
      expect(await lastUsed()).toBe(at)
    }
  })

  test('a key with an expiry works again when the clock is right again', async () => {
    const secret = await insertKey(now + 10 * dayMs)
    expect((await store.apiKeys.authenticate(secret, later)) !== undefined).toBe(later < now + 10 * dayMs)
    expect(await store.apiKeys.authenticate(secret, now)).toBeDefined()
  })

  test('a revoked key stays revoked', async () => {
    const secret = await insertKey(null)
    await store.apiKeys.revoke('key_1', now)
    expect(await store.apiKeys.authenticate(secret, later)).toBeUndefined()
  })
})

defineSteps('deletion by age', byMs => {
  const later = now + byMs
  let at = now
  const warned: object[] = []
  const openCheck = () =>
    createClockCheck({ states: store.clockStates, now: () => at, log: { warn: details => warned.push(details) } })

  test('nothing is deleted by age for a day after the step, also after a restart', async () => {
    at = now
    warned.length = 0
    const before = openCheck()
    expect(await before.isTrusted()).toBe(true)
    at = later
    const isSafe = byMs < dayMs
    expect(await before.isTrusted()).toBe(isSafe)
    expect(warned).toHaveLength(isSafe ? 0 : 1)
    const after = openCheck()
    for (; at < later + dayMs; at += hourMs) expect(await after.isTrusted()).toBe(isSafe)
    expect(await after.isTrusted()).toBe(true)
  })

  test('when the clock is right again, deletion goes on', async () => {
    at = now
    const check = openCheck()
    await check.isTrusted()
    at = later
    await check.isTrusted()
    at = now + hourMs
    // Back to the present from the past is a step forward too.
    expect(await check.isTrusted()).toBe(byMs > -dayMs)
  })
})
