import { expect, test } from 'vitest'
import { nextStart, parseRhythm } from '../../server/tenancy/site-schedule.ts'
import { shareTests, type TestStore } from './stores.ts'
import { insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  await store.projects.insert(project('prj_a'))
  for (const domain of ['a.example.com', 'b.example.com']) {
    await store.sites.insert({ domain, projectId: 'prj_a', origin: null, createdAt: now })
  }
})

const hourMs = 3_600_000
const daily = { rhythm: parseRhythm('daily 03:00'), onlyIfChanged: true }
const nothing = { fingerprint: null, jobId: null, startedAt: null, outcome: null }

stores.describe('schedules of sites', () => {
  test('a schedule is found as it was set, is replaced, and keeps what is known of the last export', async () => {
    expect(await store.siteSchedules.find('a.example.com')).toBeUndefined()
    await store.siteSchedules.put('a.example.com', daily, now)
    const first = { domain: 'a.example.com', ...daily, nextAt: now, ...nothing }
    expect(await store.siteSchedules.find('a.example.com')).toEqual(first)

    const started = { kind: 'started', at: now + 1, problem: null } as const
    await store.siteSchedules.record('a.example.com', started, { jobId: 'se_1', fingerprint: 'abc' })
    const known = { fingerprint: 'abc', jobId: 'se_1', startedAt: now + 1 }
    expect(await store.siteSchedules.find('a.example.com')).toEqual({ ...first, ...known, outcome: started })

    const hourly = { rhythm: parseRhythm('every 6h'), onlyIfChanged: false }
    await store.siteSchedules.put('a.example.com', hourly, now + hourMs)
    const refused = { kind: 'refused', at: now + 2, problem: 'The queue is full.' } as const
    await store.siteSchedules.record('a.example.com', refused)
    const second = { ...first, ...hourly, nextAt: now + hourMs, ...known, outcome: refused }
    expect(await store.siteSchedules.find('a.example.com')).toEqual(second)

    expect(await store.siteSchedules.delete('a.example.com')).toBe(true)
    expect(await store.siteSchedules.delete('a.example.com')).toBe(false)
  })

  test('refused starts of an organization are listed, the newest first', async () => {
    for (const [i, domain] of ['a.example.com', 'b.example.com'].entries()) {
      await store.siteSchedules.put(domain, daily, now)
      await store.siteSchedules.record(domain, { kind: 'refused', at: now + i, problem: 'The queue is full.' })
    }
    const listRefused = async (limit = 9, organizationId = 'org_a') =>
      (await store.siteSchedules.listRefused(organizationId, limit)).map(({ domain }) => domain)
    expect(await listRefused()).toEqual(['b.example.com', 'a.example.com'])
    expect(await listRefused(1)).toEqual(['b.example.com'])
    expect(await listRefused(9, 'org_b')).toEqual([])
    await store.siteSchedules.record('b.example.com', { kind: 'unchanged', at: now + 2, problem: null })
    expect(await listRefused()).toEqual(['a.example.com'])
  })

  test('what is due is listed with its organization, the longest first', async () => {
    await store.siteSchedules.put('a.example.com', daily, now)
    await store.siteSchedules.put('b.example.com', daily, now - 1)
    const listDue = async (at: number, limit = 9) =>
      (await store.siteSchedules.listDue(at, limit)).map(({ domain, organizationId }) => [domain, organizationId])
    expect(await listDue(now - 2)).toEqual([])
    expect(await listDue(now - 1)).toEqual([['b.example.com', 'org_a']])
    expect(await listDue(now, 1)).toEqual([['b.example.com', 'org_a']])
    expect(await listDue(now)).toEqual([
      ['b.example.com', 'org_a'],
      ['a.example.com', 'org_a'],
    ])
  })

  test('a start that was planned before the clock was set back by years is due', async () => {
    await store.siteSchedules.put('a.example.com', daily, now + 400 * 24 * hourMs)
    expect(await store.siteSchedules.listDue(now, 9)).toHaveLength(1)
    expect(await store.siteSchedules.listDue(now + 40 * 24 * hourMs, 9)).toHaveLength(0)
  })

  test('a start is claimed once, also by two nodes at the same time, and not after a change', async () => {
    const other = await stores.openOther()
    await store.siteSchedules.put('a.example.com', daily, now)
    const nextAt = nextStart(daily.rhythm, now)
    const claims = [store, other, store, other].map(async each =>
      each.siteSchedules.claim('a.example.com', now, nextAt),
    )
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1)
    expect((await store.siteSchedules.find('a.example.com'))?.nextAt).toBe(nextAt)
    await store.siteSchedules.put('a.example.com', daily, now + 5)
    expect(await store.siteSchedules.claim('a.example.com', nextAt, nextAt + 1)).toBe(false)
  })

  test('a deleted site takes its schedule along, and a site that does not exist gets none', async () => {
    await store.siteSchedules.put('a.example.com', daily, now)
    await store.sites.delete('a.example.com')
    expect(await store.siteSchedules.find('a.example.com')).toBeUndefined()
    const put = async () => store.siteSchedules.put('a.example.com', daily, now)
    await expect(put()).rejects.toMatchObject({ code: stores.codes.foreignKey })
    await store.siteSchedules.put('b.example.com', daily, now)
    await store.projectRemoval.finish('prj_a', now)
    expect(await store.siteSchedules.find('b.example.com')).toBeUndefined()
  })
})
