import { Parser } from 'htmlparser2'
import type { DashboardDeps } from '../../server/dashboard/deps.ts'
import { frameOrganizationPage, organizationPath } from '../../server/dashboard/frame.ts'
import type { Answer, PageDefinition, Visit } from '../../server/dashboard/page.ts'
import { relativePath } from '../../server/docs/relative-path.ts'
import type { Store } from '../../server/store/store.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import { startVisitorCounting } from '../../server/workers/count-visitors.ts'
import { openPageVisits } from './page-visit.ts'

export { hostileTexts } from './page-visit.ts'

export const now = Date.UTC(2026, 10, 23, 12)

/** The dashboard on a new data folder, without HTTP. Its clock stands at `now`. */
export interface TestDashboard {
  dataFolder: string
  store: Store
  deps: DashboardDeps
  dispose(): Promise<void>
}

export async function openDashboard(): Promise<TestDashboard> {
  const { dataFolder, store, deps, dispose } = await openPageVisits()
  const visits = startVisitorCounting({ dataFolder })
  return {
    dataFolder,
    store,
    deps: { ...deps, visits, now: () => now, dataFolder, followedLogs: [] },
    async dispose() {
      await visits.stop()
      await dispose()
    },
  }
}

/** Inserts an organization, and returns it. */
export async function addOrganization(store: Store, id = 'org_1', name = 'Acme'): Promise<Organization> {
  const organization: Organization = { id, name, plan: 'enterprise', createdAt: now }
  await store.organizations.insert(organization)
  return organization
}

export async function addProject(store: Store, organizationId: string, id = 'prj_1', name = 'Docs'): Promise<void> {
  await store.projects.insert({
    id,
    organizationId,
    name,
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: now,
  })
}

/** A request for the page at an address below that of the organization. Members see one organization. */
export function createVisit(
  organization: Organization,
  address: string,
  { operator = false, organizations = [organization] }: { operator?: boolean; organizations?: Organization[] } = {},
): Visit {
  const [path = '', query = ''] = address.split('?')
  const pagePath = organizationPath(organization.id, path)
  return {
    person: { id: 'usr_1', organizationId: operator ? null : organization.id, name: 'Ann', createdAt: now },
    session: { id: 'ses_1', personId: 'usr_1', createdAt: now, lastSeenAt: now, expiresAt: now, address: '::1' },
    organization,
    organizations,
    params: {},
    query: new URLSearchParams(query),
    form: new URLSearchParams(),
    formToken: 'token',
    server: { url: 'http://127.0.0.1:8787', isPublic: false },
    ipAddress: '::1',
    now,
    link: to => relativePath(pagePath, organizationPath(organization.id, to)),
    record: async () => {
      throw new Error('This visit changes nothing.')
    },
  }
}

/** Shows a page, and returns its status and the HTML of the whole document. */
export async function showPage(
  page: PageDefinition,
  visit: Visit,
  deps: DashboardDeps,
): Promise<{ status: number; text: string }> {
  const answer = await page.show(visit, deps)
  if (!('content' in answer)) throw new Error('The page led elsewhere.')
  const { title, content, status = 200, hasChart = false } = answer
  const pagePath = organizationPath(visit.organization.id, page.path)
  const { section } = page
  return {
    status,
    text: frameOrganizationPage(visit, { pagePath, section, title, content, notice: undefined, hasChart })('system'),
  }
}

/** Reads the file that a page answers. */
export async function readDownload(answer: Answer): Promise<{ fileName: string; contentType: string; text: string }> {
  if (!('download' in answer)) throw new Error('The page is no download.')
  const { body, fileName, contentType } = answer.download
  if (typeof body === 'string') return { fileName, contentType, text: body }
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return { fileName, contentType, text: Buffer.concat(parts).toString() }
}

/** What a page would run or lead to: scripts, event handlers, and links that leave the dashboard. */
export function findHostile(html: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (/^(img|svg|iframe|object|embed|base|style)$/.test(name)) found.push(`<${name}>`)
      if (name === 'script' && !/\/static\/|^(?:\.\.\/)+docs\/search\.js$/.test(attributes.src ?? ''))
        found.push('<script>')
      for (const [attribute, value] of Object.entries(attributes)) {
        if (attribute.startsWith('on') || attribute === 'style') found.push(`${name} ${attribute}="${value}"`)
        if (/^(href|src|action)$/.test(attribute) && /^\s*(javascript:|data:(?!,$)|\/\/|[a-z]+:\/\/)/i.test(value)) {
          found.push(`${name} ${attribute}="${value}"`)
        }
      }
    },
  })
  parser.end(html)
  return found
}

/** The texts of a page as a reader sees them, with single spaces. */
export function toText(html: string): string {
  let text = ''
  const parser = new Parser({ ontext: part => (text += part), onopentag: () => (text += ' ') })
  parser.end(html)
  return text.replaceAll(/\s+/g, ' ')
}
