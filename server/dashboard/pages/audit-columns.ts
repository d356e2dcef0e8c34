import type { AuditEvent } from '../../tenancy/audit-event.ts'
import type { Organization } from '../../tenancy/organization.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import type { Column } from '../parts/table.ts'
import { timeAgo, timeWithSeconds } from '../parts/time.ts'
import { exportPath, sitePath } from '../paths.ts'
import { auditTexts as texts } from '../texts/audit.ts'
import { agentJobPath } from './agent-job-path.ts'
import { linkToOrganization } from './organization-link.ts'

/** The address of the page of the subject of an event, by the id of the event. */
export type SubjectLinks = ReadonlyMap<number, string>

type LinkDeps = Pick<DashboardDeps, 'organizations' | 'projects' | 'sites' | 'exportJobs' | 'agentJobs' | 'people'>

/**
 * The columns of a table of events.
 *
 * @param options.now shows how long ago the events were; undefined = the second of each
 * @param options.organizations adds a column with their names; undefined = all events are of one organization
 */
export function auditColumns(
  links: SubjectLinks,
  { organizations, now }: { organizations?: ReadonlyMap<string, Organization> | undefined; now?: number },
): Column<AuditEvent>[] {
  const { columns } = texts
  const organization: Column<AuditEvent> = {
    heading: columns.organization,
    isText: true,
    show: ({ organizationId }) =>
      organizationId === null ? texts.noOrganization : (organizations?.get(organizationId)?.name ?? organizationId),
  }
  return [
    { heading: columns.when, show: ({ at }) => (now === undefined ? timeWithSeconds(at) : timeAgo(at, now)) },
    // A later version may have written an action that this one does not know.
    { heading: columns.action, show: ({ action }) => texts.actions[action] ?? action },
    { heading: columns.subject, isText: true, show: event => showSubject(event, links.get(event.id)) },
    { heading: columns.actor, isText: true, show: ({ actor }) => actor },
    { heading: columns.address, isText: true, show: ({ address }) => address },
    ...(organizations ? [organization] : []),
  ]
}

function showSubject({ subject, detail }: AuditEvent, address: string | undefined): Markup {
  const id = html`<code>${subject}</code>`
  const shown = address === undefined ? id : html`<a href="${address}">${id}</a>`
  return detail === null ? shown : html`${shown} ${detail}`
}

/** Finds the pages of the subjects that still exist. Only an event of an organization that the person may see gets a link. */
export async function findSubjectLinks(
  visit: Visit,
  events: readonly AuditEvent[],
  deps: LinkDeps,
): Promise<SubjectLinks> {
  const visible = await findOrganizations(visit, events, deps)
  const known = new Map<string, Promise<string | undefined>>()
  const links = new Map<number, string>()
  for (const event of events) {
    const { id, organizationId, action, subject, detail } = event
    if (organizationId === null || !visible.has(organizationId)) continue
    const key = JSON.stringify([organizationId, action.split('.', 1)[0], subject, detail])
    const found = known.get(key) ?? findPath({ ...event, organizationId }, deps)
    known.set(key, found)
    const path = await found
    if (path !== undefined) links.set(id, linkToOrganization(visit, organizationId, path))
  }
  return links
}

/** Finds the organizations of events that still exist and that the person may see, by their id. */
export async function findOrganizations(
  { person, organization: own }: Visit,
  events: readonly AuditEvent[],
  { organizations }: Pick<DashboardDeps, 'organizations'>,
): Promise<ReadonlyMap<string, Organization>> {
  if (person.organizationId !== null) return new Map([[own.id, own]])
  const ids = new Set(events.flatMap(({ organizationId }) => organizationId ?? []))
  const found = await Promise.all([...ids].map(id => organizations.find(id)))
  return new Map(found.flatMap(each => (each ? [[each.id, each] as const] : [])))
}

/** Returns the path of the page of the subject; undefined if it no longer exists, or has no page. */
async function findPath(
  { organizationId, action, subject, detail }: AuditEvent & { organizationId: string },
  { projects, sites, exportJobs, agentJobs, people }: LinkDeps,
): Promise<string | undefined> {
  switch (action) {
    case 'project.created':
    case 'project.changed':
      return (await projects.findOwned(organizationId, subject)) && '/projects'
    case 'site.created':
    case 'site.changed':
    case 'site.deleted':
      return (await sites.findOwned(organizationId, subject)) && sitePath(subject)
    case 'key.created':
    case 'key.rotated':
    case 'key.revoked':
      // A key is never deleted before its organization.
      return '/keys'
    case 'export.started':
    case 'export.cancelled':
    case 'export.deleted':
    case 'bundle-link.created':
      return (await exportJobs.findOwned(organizationId, subject)) && exportPath(subject)
    case 'agent-job.started':
    case 'agent-job.instructed':
    case 'agent-job.cancelled':
    case 'agent-job.archived': {
      const job = detail === null ? undefined : await agentJobs.findOwned(organizationId, detail, subject)
      return job && agentJobPath(job)
    }
    case 'person.added':
    case 'sign-in-link.created':
    case 'signed-in':
    case 'signed-out':
      return (await people.find(subject))?.organizationId === organizationId ? '/people' : undefined
    default:
      return undefined
  }
}
