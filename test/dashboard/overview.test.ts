import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import type { DashboardDeps } from '../../server/dashboard/deps.ts'
import { overviewPage } from '../../server/dashboard/pages/overview.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import { takeRequest } from '../../server/tenancy/rate-limit.ts'
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
})

test('health: what is fine, and what to do about the rest', async () => {
  const good = toText(await show())
  expect(good).toMatch(/Disk [\d.,]+ [GM]B free/)
  expect(good).toContain('Database writable')
  const check = () => {
    throw new Error('locked')
  }
  const bad = toText(await show({ check }))
  expect(bad).toContain('Database cannot be written Look at the log of the server')
})

test('the queue counts only the exports of the organization', async () => {
  await addOrganization(dashboard.store, 'org_2', 'Other')
  for (const id of ['se_1', 'se_2', 'se_3']) await addExport(id, now)
  await dashboard.store.exportJobs.claim('me', now, 1000)
  await addExport('se_4', now, 'other.example.com', 'org_2')
  const text = toText(await show())
  expect(text).toContain('Exports 1 running, 2 queued')
  expect(text).not.toContain('other.example.com')
})

test('the used budget is shown without spending of it', async () => {
  const { store } = dashboard
  for (let i = 0; i < 12; i++) await takeRequest(store.rateLimits, 'org_1', budget, () => now)
  for (let i = 0; i < 3; i++) expect(toText(await show())).toContain('Rate limit: visitors 12 of 100')
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
  const member = toText(await show({ followedLogs }))
  expect(member).toMatch(/access\.log readable last written .* missing\.log missing/)
  expect(member).not.toMatch(/all\.log|other\.log|\/var\/log/)
  expect(toText(await show({ followedLogs }, { operator: true }))).toContain('/var/log/all.log missing')
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
