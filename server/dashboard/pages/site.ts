import { OperatorError } from '../../base/operator-error.ts'
import { describeRules, type RemovalRules } from '../../tenancy/removal-rules.ts'
import {
  describeAllowedOrigins,
  describeOrigin,
  parseAllowedOrigin,
  parseOrigin,
  type Site,
} from '../../tenancy/site.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { readLines } from '../parts/field.ts'
import { html } from '../parts/html.ts'
import { siteTexts } from '../texts/sites.ts'
import { describeProbe } from './probe-answer.ts'
import { requireOperator } from './projects.ts'
import { type RuleField, ruleFields, type SiteForm, showSite } from './site-forms.ts'
import { changeSchedule, showSchedule } from './site-schedule.ts'
import { addWebhook, deleteWebhook, enableWebhook, listExportWebhooks, showWebhooks } from './site-webhooks.ts'

const probeTimeoutMs = 10_000
const texts = siteTexts

/** One site: how its origin answers, where its pages come from, and the rules of its exports. */
export const sitePage: PageDefinition = {
  section: 'projects',
  path: '/projects/sites/:domain',
  show: async (visit, deps) => answer(visit, await findSite(visit, deps), deps, {}),
  actions: {
    test,
    origin: changeOrigin,
    rules: changeRules,
    schedule: onSite(changeSchedule),
    'add-webhook': onSite(addWebhook),
    'enable-webhook': onSite(enableWebhook),
    'delete-webhook': onSite(deleteWebhook),
    delete: deleteSite,
  },
}

async function findSite({ organization, params }: Visit, { sites }: DashboardDeps): Promise<Site> {
  const site = await sites.findOwned(organization.id, params.domain ?? '')
  if (!site) throw new PageNotFound()
  return site
}

/** Makes an action of the page from one of another file. If that returns a form, the page shows it again. */
function onSite(
  act: (visit: Visit, deps: DashboardDeps, site: Site) => Promise<Answer | SiteForm>,
): (visit: Visit, deps: DashboardDeps) => Promise<Answer> {
  return async (visit, deps) => {
    const site = await findSite(visit, deps)
    const done = await act(visit, deps, site)
    return 'leadTo' in done || 'content' in done || 'download' in done ? done : answer(visit, site, deps, done)
  }
}

async function answer(visit: Visit, site: Site, deps: DashboardDeps, form: SiteForm): Promise<Answer> {
  const project = await deps.projects.findOwned(visit.organization.id, site.projectId)
  const isRefused = Object.keys(form.problems ?? {}).length > 0
  const schedule = await deps.siteSchedules.find(site.domain)
  const job = await deps.exportJobs.findOwned(visit.organization.id, schedule?.jobId ?? '')
  const automatic = html`${showSchedule(visit, site, { schedule, hasJob: job !== undefined }, form)}
${showWebhooks(visit, site, await listExportWebhooks(visit, deps), form)}`
  const content = showSite(visit, { site, projectName: project?.name ?? site.projectId, form, automatic })
  return { title: site.domain, status: isRefused ? 400 : 200, content }
}

/** Requests the origin as an export does. An address that a member could choose is never a private one. */
async function test(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const site = await findSite(visit, deps)
  const origin = new URL(site.origin ?? `https://${site.domain}/`)
  const probe = await deps.probeSite({ origin, originAllowed: site.origin !== null, timeoutMs: probeTimeoutMs })
  return answer(visit, site, deps, { probe: describeProbe(site, probe) })
}

async function changeOrigin(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  requireOperator(visit)
  const site = await findSite(visit, deps)
  const values = { origin: (visit.form.get('origin') ?? '').trim(), allowed: visit.form.get('allowed') ?? '' }
  const origin = values.origin === '' ? null : parseOrigin(values.origin)
  const allowed = readLines(values.allowed)
  const wrong = allowed.find(text => parseAllowedOrigin(text) === undefined)
  const problems = {
    ...(origin === undefined && { origin: texts.originInvalid }),
    ...(wrong !== undefined && { allowed: texts.allowedInvalid(wrong) }),
  }
  if (origin === undefined || wrong !== undefined) return answer(visit, site, deps, { values, problems })
  const { domain } = site
  const allowedOrigins = [...new Set(allowed.flatMap(text => parseAllowedOrigin(text) ?? []))].sort()
  const details = [describeOrigin({ domain, origin })]
  if (allowedOrigins.join() !== site.allowedOrigins.join()) details.push(describeAllowedOrigins(allowedOrigins))
  const events = details.map(detail => ({ action: 'site.changed', subject: domain, detail }) as const)
  await visit.record(events, function* ({ sites }) {
    yield* sites.updateAllowedOrigins(domain, allowedOrigins)
    return yield* sites.updateOrigin(domain, origin)
  })
  return { leadTo: `/projects/sites/${site.domain}`, notice: 'site-changed' }
}

async function changeRules(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const site = await findSite(visit, deps)
  const { checkRemovalRules, noRemovalRules } = await import('../../products/removal-rules.ts')
  const values = Object.fromEntries(ruleFields.map(name => [name, visit.form.get(name) ?? '']))
  const rules: RemovalRules = { ...noRemovalRules, products: site.removal?.products ?? [] }
  for (const name of ruleFields) rules[name] = [...new Set(readLines(values[name] ?? ''))]
  try {
    checkRemovalRules(rules)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const field = ruleFields.find(name => error.message.startsWith(name)) ?? ruleFields[0]
    return answer(visit, site, deps, { values, problems: { [field]: nameField(error.message, field) } })
  }
  const isEmpty = Object.values(rules).every(list => list.length === 0)
  const removal = isEmpty ? null : rules
  const event = { action: 'site.changed', subject: site.domain, detail: describeRules(removal) } as const
  await visit.record(event, ({ sites }) => sites.updateRemoval(site.domain, removal))
  return { leadTo: `/projects/sites/${site.domain}`, notice: 'site-changed' }
}

/** Names the field of a problem as the page does. */
function nameField(message: string, field: RuleField): string {
  return message.replace(field, texts.site[field])
}

async function deleteSite(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  requireOperator(visit)
  const { domain } = await findSite(visit, deps)
  await visit.record({ action: 'site.deleted', subject: domain }, ({ sites }) => sites.delete(domain))
  await deps.forgetCache(domain)
  return { leadTo: '/projects', notice: 'site-deleted' }
}
