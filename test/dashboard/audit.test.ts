import { afterEach, beforeEach, expect, test } from 'vitest'
import { auditPage } from '../../server/dashboard/pages/audit.ts'
import type { AuditAction } from '../../server/tenancy/audit-event.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import {
  addOrganization,
  addProject,
  createVisit,
  findHostile,
  hostileTexts,
  now,
  openDashboard,
  readDownload,
  showPage,
  type TestDashboard,
  toText,
} from './dashboard-visit.ts'

let dashboard: TestDashboard
let organization: Organization
let other: Organization
beforeEach(async () => {
  dashboard = await openDashboard()
  organization = await addOrganization(dashboard.store)
  other = await addOrganization(dashboard.store, 'org_2', 'Other')
})
afterEach(() => dashboard.dispose())

interface Given {
  action?: AuditAction
  subject?: string
  detail?: string | null
  organizationId?: string | null
  actor?: string
  at?: number
}
const append = ({ action = 'site.created', subject = 'docs.example.com', detail = null, ...given }: Given) =>
  dashboard.store.auditLog.append({
    at: now,
    organizationId: 'org_1',
    actor: 'Ann (usr_1)',
    address: '192.0.2.1',
    action,
    subject,
    detail,
    ...given,
  })
const visitOf = (query: string, operator: boolean) =>
  createVisit(organization, `/audit${query}`, {
    operator,
    ...(operator && { organizations: [organization, other] }),
  })
const show = async (query = '', operator = false) =>
  (await showPage(auditPage, visitOf(query, operator), dashboard.deps)).text
const download = async (query: string, operator = false) =>
  readDownload(await auditPage.show(visitOf(query, operator), dashboard.deps))
const listDetails = (text: string) => [...text.matchAll(/event (\d+)/g)].map(match => Number(match[1]))

test('without events, the page says so', async () => {
  expect(toText(await show())).toContain('There are no events yet.')
})

test('an event has time, action in words, subject, person and address', async () => {
  await append({ action: 'key.revoked', subject: 'key_1', detail: 'ci', at: now + 7000 })
  expect(toText(await show())).toContain('2026-11-23 12:00:07 UTC API key revoked key_1 ci Ann (usr_1) 192.0.2.1')
})

test('50 events are on a page, the newest first, and the next page goes on', async () => {
  for (let i = 1; i <= 120; i++) await append({ detail: `event ${i}` })
  const pages: number[][] = []
  for (let query: string | undefined = ''; query !== undefined; ) {
    const text = await show(query)
    pages.push(listDetails(text))
    query = /rel="next" href="audit([^"]*)"/.exec(text)?.[1]
  }
  expect(pages.map(({ length }) => length)).toEqual([50, 50, 20])
  expect(pages.flat()).toEqual(Array.from({ length: 120 }, (_, i) => 120 - i))
})

test('members see only their organization; operators may choose all', async () => {
  await append({ detail: 'event 1' })
  await append({ detail: 'event 2', organizationId: 'org_2' })
  await append({ detail: 'event 3', organizationId: null, action: 'signed-in' })
  for (const query of ['', '?scope=all', '?scope=all&before=99']) {
    expect(listDetails(await show(query))).toEqual([1])
    expect(await show(query)).not.toContain('scope=all')
  }
  expect(listDetails((await download('?scope=all&download=csv')).text)).toEqual([1])
  expect(listDetails(await show('', true))).toEqual([1])
  const all = await show('?scope=all', true)
  expect(listDetails(all)).toEqual([3, 2, 1])
  expect(toText(all)).toContain('event 2 Ann (usr_1) 192.0.2.1 Other')
  expect(listDetails((await download('?scope=all&download=json', true)).text)).toEqual([3, 2, 1])
})

test('a subject that still exists has a link, also to another organization', async () => {
  const { store } = dashboard
  await addProject(store, 'org_1')
  await addProject(store, 'org_2', 'prj_2')
  const site = { projectId: 'prj_1', origin: null, createdAt: now }
  await store.sites.insert({ ...site, domain: 'docs.example.com' })
  await store.sites.insert({ ...site, projectId: 'prj_2', domain: 'other.example.com' })
  await append({})
  await append({ action: 'site.deleted', subject: 'gone.example.com' })
  await append({ subject: 'other.example.com' })
  await append({ subject: 'other.example.com', organizationId: 'org_2' })
  await append({ action: 'export.started', subject: 'se_gone' })
  await append({ action: 'project.created', subject: 'prj_1' })
  await append({ action: 'agent-job.archived', subject: 'aj_gone', detail: 'prj_1' })
  const links = [...(await show('?scope=all', true)).matchAll(/<a href="([^"]*)"><code>([^<]*)/g)]
  expect(links.map(([, address, subject]) => [address, subject])).toEqual([
    ['projects', 'prj_1'],
    ['./../org_2/projects/sites/other.example.com', 'other.example.com'],
    ['projects/sites/docs.example.com', 'docs.example.com'],
  ])
})

test('the downloads have all events, and spreadsheets run none of their texts', async () => {
  for (let i = 1; i <= 1001; i++) await append({ detail: `event ${i}` })
  await append({ detail: '=cmd|calc', actor: 'A "quoted", name' })
  const csv = await download('?download=csv&before=7')
  expect(csv).toMatchObject({ fileName: 'audit-org_1.csv', contentType: 'text/csv; charset=utf-8' })
  const lines = csv.text.split('\r\n')
  expect(lines[0]).toBe('id,at,action,subject,detail,actor,address,organizationId')
  expect(lines[1]).toBe(
    `1002,2026-11-23T12:00:00.000Z,site.created,docs.example.com,'=cmd|calc,"A ""quoted"", name",192.0.2.1,org_1`,
  )
  expect(listDetails(csv.text)).toEqual(Array.from({ length: 1001 }, (_, i) => 1001 - i))
  const json = JSON.parse((await download('?download=json')).text)
  expect(json).toHaveLength(1002)
  expect(json[0]).toEqual({
    id: 1002,
    at: '2026-11-23T12:00:00.000Z',
    action: 'site.created',
    subject: 'docs.example.com',
    detail: '=cmd|calc',
    actor: 'A "quoted", name',
    address: '192.0.2.1',
    organizationId: 'org_1',
  })
})

test('a download without events is empty, and well-formed', async () => {
  expect(JSON.parse((await download('?download=json')).text)).toEqual([])
  expect((await download('?download=csv')).text).toBe('id,at,action,subject,detail,actor,address,organizationId\r\n')
})

test('hostile subjects, details, people and addresses stay texts', async () => {
  for (const text of hostileTexts) {
    for (const action of ['site.created', 'project.created', 'export.started', 'key.created', text] as AuditAction[]) {
      await append({ action, subject: text, detail: text, actor: text })
    }
  }
  for (const query of ['', '?scope=all', ...hostileTexts.map(text => `?before=${encodeURIComponent(text)}`)]) {
    const text = await show(query, true)
    expect(findHostile(text)).toEqual([])
    for (const hostile of hostileTexts) expect(toText(text)).toContain(hostile)
  }
})
