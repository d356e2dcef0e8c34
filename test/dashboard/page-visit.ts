import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Parser } from 'htmlparser2'
import { hashText } from '../../server/base/digest.ts'
import type { DashboardDeps } from '../../server/dashboard/deps.ts'
import { organizationPath } from '../../server/dashboard/frame.ts'
import type { Answer, PageDefinition, Visit } from '../../server/dashboard/page.ts'
import { createChangeRecorder } from '../../server/dashboard/record-change.ts'
import { relativePath } from '../../server/docs/relative-path.ts'
import { createBundleLinks } from '../../server/export/jobs/bundle-link.ts'
import { createWorkBoard } from '../../server/export/jobs/work-board.ts'
import { openBundleFiles } from '../../server/store/bundle-files.ts'
import { openLinkKeys } from '../../server/store/link-keys.ts'
import { openLostFolder } from '../../server/store/lost-files.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { openSecretBox } from '../../server/store/webhook-keys.ts'
import { createId } from '../../server/tenancy/id.ts'
import type { Plan } from '../../server/tenancy/organization.ts'
import { issueWebhook } from '../../server/webhooks/issue-webhook.ts'
import { createComparison } from '../../server/workers/compare-in-thread.ts'

/** Pages of the dashboard on a real store in a new folder, without a server. */
export interface PageVisits {
  store: Store
  deps: DashboardDeps
  dataFolder: string
  /** What is in the audit log, the oldest first, as `action subject`. */
  listAudited(): Promise<string[]>
  /** Opens a page. Without `form`, its `show`; with it, the action of the name. */
  visit(page: PageDefinition, options: VisitOptions): Promise<Answer>
  /** Opens a page and returns its HTML and status. Fails if it answers something else. */
  read(page: PageDefinition, options: VisitOptions): Promise<{ status: number; text: string }>
  dispose(): Promise<void>
}

export interface VisitOptions {
  organizationId: string
  params?: Record<string, string>
  query?: string
  operator?: boolean
  action?: string
  form?: Record<string, string>
}

export async function openPageVisits({ maxQueuedExports = 100 } = {}): Promise<PageVisits> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-dashboard-'))
  const store = openStore(dataFolder)
  const bundles = openBundleFiles(join(dataFolder, 'bundles'), openLostFolder(dataFolder))
  const comparison = createComparison(bundles, join(dataFolder, 'work'), Date.now)
  const deps = {
    ...store,
    bundles,
    compareBundles: comparison.compare,
    previewPath: (jobId: string) => `/preview/${jobId}/`,
    bundleLinks: createBundleLinks({ keys: openLinkKeys(dataFolder), ttlSeconds: 3600 }),
    workBoard: createWorkBoard(),
    maxQueuedExports,
    wakeRunner() {},
    now: Date.now,
    createJobId: () => createId('se'),
    hashText,
    keyPrefix: 'quire_',
    issueWebhook: (given: Parameters<typeof issueWebhook>[0]) =>
      issueWebhook(given, { secrets: openSecretBox(dataFolder, undefined), allowed: { names: [], ranges: [] } }),
  } as unknown as DashboardDeps

  const visit: PageVisits['visit'] = async (page, options) => {
    const { organizationId, params = {}, query = '', operator = false, action, form = {} } = options
    const organization = await store.organizations.find(organizationId)
    if (!organization) throw new Error('There is no such organization.')
    const path = page.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''))
    const pagePath = organizationPath(organizationId, action === undefined ? path : `${path}/${action}`)
    const now = Date.now()
    const visit: Visit = {
      person: { id: 'usr_1', organizationId: operator ? null : organizationId, name: 'Ada', createdAt: now },
      session: { id: 'ses_1', personId: 'usr_1', createdAt: now, lastSeenAt: now, expiresAt: now, address: '::1' },
      organization,
      organizations: [organization],
      params,
      query: new URLSearchParams(query),
      form: new URLSearchParams(action === undefined ? {} : { token: 'T', ...form }),
      formToken: 'T',
      server: { url: 'https://quire.example.com', isPublic: true },
      ipAddress: '192.0.2.7',
      now,
      link: to => relativePath(pagePath, organizationPath(organizationId, to)),
      record: createChangeRecorder(deps, {
        person: { id: 'usr_1', organizationId, name: 'Ada', createdAt: now },
        organizationId,
        address: '::1',
      }),
    }
    const act = action === undefined ? page.show : page.actions?.[action]
    if (!act) throw new Error(`The page has no action ${action}.`)
    return act(visit, deps)
  }
  return {
    store,
    deps,
    dataFolder,
    listAudited: async () =>
      (await store.auditLog.list({ limit: 100 })).map(({ action, subject }) => `${action} ${subject}`).reverse(),
    visit,
    async read(page, options) {
      const answer = await visit(page, options)
      if (!('content' in answer)) throw new Error(`The page answered ${JSON.stringify(answer)}.`)
      return { status: answer.status ?? 200, text: answer.content.text }
    },
    async dispose() {
      await comparison.stop()
      store.close()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

let organizations = 0

/** Stores an organization with a project and a site. Their domains differ. */
export async function addOrganization(store: Store, { plan = 'enterprise' }: { plan?: Plan } = {}) {
  organizations += 1
  const createdAt = Date.now()
  const organizationId = createId('org')
  const projectId = createId('prj')
  const domain = `docs-${organizations}.example.com`
  await store.organizations.insert({ id: organizationId, name: `Acme ${organizations}`, plan, createdAt })
  await store.projects.insert({
    id: projectId,
    organizationId,
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt,
  })
  await store.sites.insert({ domain, projectId, origin: null, createdAt })
  return { organizationId, projectId, domain }
}

/** Texts that would become elements or scripts if a page did not escape them. */
export const hostileTexts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</textarea><script>alert(1)</script>',
  '</title><svg onload=alert(1)>',
  '&lt;script&gt;<!--',
  'javascript:alert(1)',
]

/** Reads a page as a browser does: the texts in it, and what would run a script, of which our pages have none. */
export function findInjected(page: string): { texts: string[]; faults: string[] } {
  const texts: string[] = []
  const faults: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (['script', 'img', 'svg', 'iframe', 'style'].includes(name)) faults.push(`<${name}>`)
      for (const [attribute, value] of Object.entries(attributes)) {
        texts.push(value)
        if (/^(on|style)/.test(attribute)) faults.push(`${attribute} of <${name}>`)
        if (/^(href|action|src|formaction)$/.test(attribute) && !leadsToWeb(value)) {
          faults.push(`${attribute}="${value}"`)
        }
      }
    },
    ontext: text => void texts.push(text),
    oncomment: text => void faults.push(`<!--${text}`),
  })
  parser.end(page)
  return { texts: [...texts, texts.join('')], faults }
}

/** Whether a link is relative to the page, or names the protocol http(s). */
function leadsToWeb(address: string): boolean {
  const url = URL.parse(address, 'https://quire.example.com/dashboard/org/page')
  return url !== null && /^https?:$/.test(url.protocol) && !address.startsWith('//')
}
