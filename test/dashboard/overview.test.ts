// A long file: the tests of the overview and of the health share what they record.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import type { DashboardDeps } from '../../server/dashboard/deps.ts'
import { healthPage } from '../../server/dashboard/pages/health.ts'
import { overviewPage } from '../../server/dashboard/pages/overview.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import { takeRequest } from '../../server/tenancy/rate-limit.ts'
import { parseRhythm } from '../../server/tenancy/site-schedule.ts'
import { createApiKey } from '../support/server.ts'
import {
  addOrganization,
  addProject,
  createVisit,
  findHostile,
  hostileTexts,
  now,
  openDashboard,
  showPage,
  type TestDashboard,
  toText,
} from './dashboard-visit.ts'

const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }

let dashboard: TestDashboard
let organization: Organization
beforeEach(async () => {
  dashboard = await openDashboard()
  organization = await addOrganization(dashboard.store)
})
afterEach(() => dashboard.dispose())

const show = async (change: Partial<DashboardDeps> = {}, options: Parameters<typeof createVisit>[2] = {}) =>
  (await showPage(overviewPage, createVisit(organization, '', options), { ...dashboard.deps, ...change })).text

const showHealth = async (change: Partial<DashboardDeps> = {}, options: Parameters<typeof createVisit>[2] = {}) =>
  toText(
    (await showPage(healthPage, createVisit(organization, '/health', options), { ...dashboard.deps, ...change })).text,
  )

/** The names of the first steps, with `+` before those that are done. */
async function listSteps(): Promise<string[]> {
  const steps = /<ol>.*?<\/ol>/s.exec(await show())?.[0] ?? ''
  return [...steps.matchAll(/<li>.*?<\/li>/gs)].map(([item]) => {
    const [, address = '', name = ''] = /<a href="([^"]*)">([^<]*)</.exec(item) ?? []
    return `${item.includes('done') ? '+ ' : ''}${name}: ${address}`
  })
}

async function addExport(jobId: string, createdAt: number, domain = 'docs.example.com', organizationId = 'org_1') {
  const request = { domain, version: null, paths: null } as unknown as Parameters<
    typeof dashboard.store.exportJobs.start
  >[0]['request']
  const job = { jobId, organizationId, request, status: 'queued' as const, progress: 0, pageCount: 0 }
  await dashboard.store.exportJobs.start(
    { ...job, error: null, createdAt, updatedAt: createdAt, bundle: null },
    undefined,
    0,
  )
}

test('a new organization gets the next steps in order, until it has a project, a site and a key', async () => {
  const { store } = dashboard
  const steps = [
    'Create a project: projects',
    'Register a site: projects',
    'Generate an API key: keys#generate',
    'Start a static export: exports',
    'Count visitors: visitors',
  ]
  expect(await listSteps()).toEqual(steps)
  await addProject(store, 'org_1')
  await store.sites.insert({ domain: 'docs.example.com', projectId: 'prj_1', origin: null, createdAt: now })
  const [project, site, ...rest] = steps
  expect(await listSteps()).toEqual([`+ ${project}`, `+ ${site}`, ...rest])
  const { keyId } = await createApiKey(store, 'org_1')
  expect(await listSteps()).toEqual([])
  await store.apiKeys.revoke(keyId, now)
  expect(await listSteps()).toHaveLength(5)
})

test('it renews itself, and says so', async () => {
  const text = await show()
  expect(text).toContain('<div id="overview" data-live="10000">')
  expect(text).toContain('<div id="overview-readers" data-live="60000">')
})

test('the parts that are renewed more often cost no counting of readers', async () => {
  await addProject(dashboard.store, 'org_1')
  await addProject(dashboard.store, 'org_1', 'prj_2', 'Second')
  const { deps } = dashboard
  const refuse = () => Promise.reject(new Error('Readers were counted.'))
  // The first steps ask whether there are any visits at all.
  const countTotals: typeof deps.visits.countTotals = (_, [range]) => (range?.dateFrom === undefined ? [] : refuse())
  const visits = { ...deps.visits, readProjectReaders: refuse, countTotals }
  const visit = createVisit(organization, '?renew=overview-alerts,overview')
  const { text } = await showPage(overviewPage, visit, { ...deps, visits })
  expect(text).toContain('id="overview"')
  expect(text).not.toContain('id="overview-readers"')
})

test('health: what is fine, and what to do about the rest', async () => {
  const good = await showHealth()
  expect(good).toMatch(/Disk [\d.,]+ [GM]B free/)
  expect(good).toContain('Database writable')
  const check = () => {
    throw new Error('locked')
  }
  expect(await showHealth({ check })).toContain('Database cannot be written Look at the log of the server')
  expect(await show()).not.toContain('cannot be written')
  const alerts = /<ul class="alerts".*?<\/ul>/s.exec(await show({ check }))?.[0] ?? ''
  expect(toText(alerts)).toContain('The database cannot be written. Look at the log of the server')
})

test('the queue counts only the exports of the organization', async () => {
  await addOrganization(dashboard.store, 'org_2', 'Other')
  for (const id of ['se_1', 'se_2', 'se_3']) await addExport(id, now)
  await dashboard.store.exportJobs.claim('me', now, 1000)
  await addExport('se_4', now, 'other.example.com', 'org_2')
  const text = await showHealth()
  expect(text).toContain('Exports 1 running, 2 queued')
  expect(text).not.toContain('other.example.com')
})

test('the used budget is shown without spending of it', async () => {
  const { store } = dashboard
  for (let i = 0; i < 12; i++) await takeRequest(store.rateLimits, 'org_1', budget, () => now)
  for (let i = 0; i < 3; i++) expect(await showHealth()).toContain('Rate limit: visitors 12 of 100')
  const { headers } = await takeRequest(store.rateLimits, 'org_1', budget, () => now)
  expect(headers.RateLimit).toBe('"analytics";r=87;t=3600')
  const find = (id: string, at: number) => store.rateLimits.findUsage(id, budget, at)
  expect(await find('org_1', now + 3_599_999)).toEqual({ used: 13, untilNextMs: 1 })
  expect(await find('org_1', now + 3_600_000)).toMatchObject({ used: 0 })
  expect(await find('org_2', now)).toMatchObject({ used: 0 })
})

test('members see only the followed logs of their projects, without folders', async () => {
  await addProject(dashboard.store, 'org_1')
  const log = join(dashboard.dataFolder, 'access.log')
  writeFileSync(log, '')
  const followedLogs = [
    { file: log, projectId: 'prj_1' },
    { file: '/var/log/missing.log', projectId: 'prj_1' },
    { file: '/var/log/all.log' },
    { file: '/var/log/other.log', projectId: 'prj_2' },
  ]
  const member = await showHealth({ followedLogs })
  expect(member).toMatch(/access\.log readable last written .* missing\.log missing/)
  expect(member).not.toMatch(/all\.log|other\.log|\/var\/log/)
  expect(await showHealth({ followedLogs }, { operator: true })).toContain('/var/log/all.log missing')
  const overview = toText(await show({ followedLogs }))
  expect(overview).toContain('The followed log missing.log is missing: start its web server')
  expect(overview).not.toMatch(/all\.log|other\.log|\/var\/log/)
})

test('the visitors of the last 7 days, by project', async () => {
  const { store } = dashboard
  await addProject(store, 'org_1')
  await addProject(store, 'org_1', 'prj_2', 'Empty')
  const view = (who: number, daysAgo: number, kind: 'human' | 'ai') => ({
    visitor: Buffer.alloc(16, who),
    path: '/',
    day: toDay(now) - daysAgo,
    kind,
  })
  store.visits.recordBatch(
    'prj_1',
    toViewBatch([view(1, 0, 'human'), view(1, 6, 'human'), view(2, 6, 'ai'), view(3, 7, 'ai')]),
  )
  const text = await show()
  expect(toText(text)).toMatch(/Docs 1 1 2 .*Empty 0 0 0/)
  expect(text).toContain('<a href="visitors?project=prj_1&amp;range=7">Docs</a>')
})

const view = (who: number, path: string, daysAgo: number, labels: string[] = [], kind: 'human' | 'ai' = 'human') => {
  const seen = { visitor: Buffer.alloc(16, who), path, day: toDay(now) - daysAgo, kind }
  return [seen, ...labels.map(label => ({ ...seen, path: label, kind: 'label' as const }))]
}

test('it leads with the readers of the project: today, 30 days and the 30 days before, and what changed', async () => {
  await addProject(dashboard.store, 'org_1')
  dashboard.store.visits.recordBatch(
    'prj_1',
    toViewBatch([
      ...view(1, '/up', 0),
      ...view(2, '/up', 3),
      ...view(3, '/up', 29),
      ...view(1, '/down', 30),
      ...view(4, '/down', 59),
      ...view(5, '/down', 60),
      ...view(6, '/up', 0, ['agent:ChatGPT-User'], 'ai'),
      ...view(7, '/down', 40, ['agent:GPTBot'], 'ai'),
    ]),
  )
  const text = toText(await show())
  expect(text).toContain('Readers of Docs People today, so far 1 AI today, so far 1 ')
  expect(text).toContain('People, 30 days 3 +50 % (before: 2) AI, 30 days 1 0 % (before: 1)')
  expect(text).toMatch(/Pages that rose Pages that rose .*\/up 0 4 new Pages that fell .*\/down 3 0 -100 %/)
  expect(text).toMatch(/Agents that came .*ChatGPT-User .* 1 Agents that stopped .*GPTBot training 1/)
  expect(await show()).toContain('<a href="visitors?project=prj_1&amp;range=30&amp;compare=previous&amp;page=%2Fup">')
})

test.each([
  [59, null],
  [40, '2026-10-14'],
  [29, null],
  [10, '2026-11-13'],
])('visitors pruned before %d days ago are told if they are of either 30 days: %s', async (daysAgo, told) => {
  await addProject(dashboard.store, 'org_1')
  const days = [70, 50, 35, 20, 0]
  dashboard.store.visits.recordBatch('prj_1', toViewBatch(days.flatMap(daysAgo => view(1, '/', daysAgo))))
  await dashboard.store.visits.pruneSeen('prj_1', toDay(now) - daysAgo)
  const notice = toText(await show()).match(/The visitors before (\S+) were pruned/)?.[1] ?? null
  expect(notice).toBe(told)
})

test('without visits before, nothing is compared', async () => {
  await addProject(dashboard.store, 'org_1')
  expect(toText(await show())).toContain('No visits were counted yet.')
  dashboard.store.visits.recordBatch('prj_1', toViewBatch(view(1, '/', 2)))
  const text = toText(await show())
  expect(text).toContain('The visits begin on 2026-11-21, so there are no 30 days before to compare with.')
  expect(text).not.toContain('Pages that rose')
})

test('failed exports and failing pages are on top, until another export of the site ends', async () => {
  await addProject(dashboard.store, 'org_1')
  const { store } = dashboard
  const fail = async (jobId: string, at: number, domain: string) => {
    await addExport(jobId, at, domain)
    const claimed = await store.exportJobs.claim('me', at, 1000)
    if (claimed) await store.exportJobs.fail(claimed.lease, `${domain} did not answer.`, at + 1)
  }
  await fail('se_1', now, 'docs.example.com')
  dashboard.store.visits.recordBatch(
    'prj_1',
    toViewBatch([
      ...view(1, '/', 1, ['failed:human:broken/slow']),
      ...view(2, '/', 1, ['failed:human:missing/gone']),
      ...view(2, '/', 8, ['failed:human:missing/old']),
    ]),
  )
  const lists = (await show()).match(/<ul class="alerts".*?<\/ul>/gs)
  const alerts = toText(lists?.join('\n') ?? '')
  expect(alerts).toContain('The last export of docs.example.com failed. docs.example.com did not answer. See why')
  expect(alerts).toContain('1 page had a server error in the last 7 days, for 1 visitor: /slow All failures')
  expect(alerts).toContain('1 page was not found in the last 7 days, by 1 visitor: /gone All failures')
  expect(lists?.join('\n')).toMatch(/list=failures&amp;page=%2Fgone#list">\/gone<\/a>/)
})

test('a refused start of a schedule is on top, with why, until an export of the site is started', async () => {
  const { store } = dashboard
  await addProject(store, 'org_1')
  await addOrganization(store, 'org_2', 'Other')
  await addProject(store, 'org_2', 'prj_2')
  const refuse = async (domain: string, projectId: string) => {
    await store.sites.insert({ domain, projectId, origin: null, createdAt: now })
    await store.siteSchedules.put(domain, { rhythm: parseRhythm('every 6h'), onlyIfChanged: false }, now)
    await store.siteSchedules.record(domain, { kind: 'refused', at: now, problem: 'The queue is full.' })
  }
  const domains = ['a', 'b', 'c', 'd'].map(name => `${name}.example.com`)
  for (const domain of domains) await refuse(domain, 'prj_1')
  await refuse('other.example.com', 'prj_2')
  const readAlerts = async () => toText((await show()).match(/<ul class="alerts".*?<\/ul>/gs)?.join('\n') ?? '')
  const line = (domain: string) =>
    `The last scheduled export of ${domain} was not started. The queue is full. See its schedule`
  const alerts = await readAlerts()
  expect(domains.map(domain => alerts.includes(line(domain)))).toEqual([true, true, true, false])
  expect(alerts).toContain('1 more scheduled export was not started. All sites')
  expect(alerts).not.toContain('other.example.com')
  expect(await show()).toContain('<a href="projects/sites/a.example.com#schedule">')
  await addExport('se_1', now + 1, 'a.example.com')
  const later = await readAlerts()
  expect(domains.map(domain => later.includes(line(domain)))).toEqual([false, true, true, true])
})

test('only operators have the health in their navigation', async () => {
  expect(await show({}, { operator: true })).toContain('<li><a href="health" data-go="h">Health</a></li>')
  expect(await show()).not.toContain('data-go="h"')
})

test('the newest five exports, agent jobs and events, with links', async () => {
  const { store } = dashboard
  await addProject(store, 'org_1')
  for (let i = 1; i <= 7; i++) {
    await addExport(`se_${i}`, now + i)
    await store.agentJobs.insert({
      projectId: 'prj_1',
      id: `aj_${i}`,
      status: 'active',
      source: { repository: 'https://git.example.com/docs', ref: null },
      model: 'writer',
      prLink: null,
      createdAt: now + i,
      archivedAt: null,
    })
    await store.auditLog.append({
      at: now + i,
      organizationId: 'org_1',
      action: 'export.started',
      subject: `se_${i}`,
      detail: null,
      actor: 'Ann (usr_1)',
      address: '192.0.2.1',
    })
  }
  const text = await show()
  const links = [...text.matchAll(/<a href="((?:exports|agent-jobs)\/[^"]*)">/g)].map(match => match[1])
  const newest = [7, 6, 5, 4, 3]
  expect(links).toEqual([
    ...newest.map(i => `exports/se_${i}`),
    ...newest.map(i => `agent-jobs/prj_1/aj_${i}`),
    ...newest.map(i => `exports/se_${i}`),
  ])
})

test('hostile names, versions, repositories and events stay texts', async () => {
  const { store } = dashboard
  for (const [i, text] of hostileTexts.entries()) {
    await addProject(store, 'org_1', `prj_${i}`, text)
    await addExport(`se_${i}`, now + i, text)
    await store.agentJobs.insert({
      projectId: `prj_${i}`,
      id: text,
      status: 'completed',
      source: { repository: text, ref: text },
      model: text,
      prLink: text,
      createdAt: now + i,
      archivedAt: null,
    })
    await store.auditLog.append({
      at: now,
      organizationId: 'org_1',
      action: 'site.created',
      subject: text,
      detail: text,
      actor: text,
      address: text,
    })
  }
  const followedLogs = hostileTexts.map(file => ({ file }))
  const text = await show({ followedLogs }, { operator: true })
  expect(findHostile(text)).toEqual([])
  for (const hostile of hostileTexts) expect(toText(text)).toContain(hostile)
})
