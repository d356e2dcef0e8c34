import type { Awaitable } from '../base/awaitable.ts'
import { type ApiKey, describeKey } from '../tenancy/api-key.ts'
import type { Organization } from '../tenancy/organization.ts'
import type { Project } from '../tenancy/project.ts'
import type { RemovalRules } from '../tenancy/removal-rules.ts'
import { describeOrigin, type NewSite } from '../tenancy/site.ts'
import { recordChange } from './record-change.ts'
import type { Store } from './store.ts'

type Atomic = Pick<Store, 'atomically'>

/** Inserts an organization for a command, and appends the audit event. */
export function addOrganization(store: Atomic, organization: Organization): Awaitable<void> {
  const { id, name, plan } = organization
  return recordChange(
    store,
    { action: 'organization.created', subject: id, organizationId: id, detail: `${name}, plan ${plan}` },
    ({ organizations }) => organizations.insert(organization),
  )
}

/** Inserts a project for a command, and appends the audit event. */
export function addProject(store: Atomic, project: Project): Awaitable<void> {
  const { id, organizationId, name } = project
  return recordChange(store, { action: 'project.created', subject: id, organizationId, detail: name }, ({ projects }) =>
    projects.insert(project),
  )
}

/** Inserts a key for a command, and appends the audit event. */
export function addKey(store: Atomic, key: ApiKey, secretSha256: Buffer): Awaitable<void> {
  return recordChange(store, { action: 'key.created', ...describeKey(key) }, ({ apiKeys }) =>
    apiKeys.insert(key, secretSha256),
  )
}

/** Inserts a site for a command, and appends the audit event. */
export function addSite(
  store: Atomic,
  site: NewSite & { organizationId: string },
  { removal, allowedOrigins }: { removal: RemovalRules | null; allowedOrigins: readonly string[] },
): Awaitable<void> {
  const { domain, organizationId } = site
  return recordChange(
    store,
    { action: 'site.created', subject: domain, organizationId, detail: describeOrigin(site) },
    function* ({ sites }) {
      yield* sites.insert(site)
      if (removal) yield* sites.updateRemoval(domain, removal)
      if (allowedOrigins.length > 0) yield* sites.updateAllowedOrigins(domain, allowedOrigins)
    },
  )
}
