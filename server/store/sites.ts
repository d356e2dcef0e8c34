import { noRemovalRules } from '../products/removal-rules.ts'
import type { RemovalRules } from '../tenancy/removal-rules.ts'
import type { Site, Sites } from '../tenancy/site.ts'
import { listInParts } from './list-part.ts'
import { all, get, run, sql, type Works } from './noun.ts'

/** A row of the table `sites`. */
interface SiteRow {
  domain: string
  project_id: string
  origin: string | null
  removal: string | null
  allowed_origins: string | null
  signing_key: Uint8Array | null
  signing_key_id: string | null
  login_at: number | null
  created_at: number
}

function toSite(row: SiteRow): Site {
  return {
    domain: row.domain,
    projectId: row.project_id,
    origin: row.origin,
    // Rules stored by an older version lack newer fields.
    removal: row.removal === null ? null : { ...noRemovalRules, ...(JSON.parse(row.removal) as Partial<RemovalRules>) },
    allowedOrigins: row.allowed_origins === null ? [] : (JSON.parse(row.allowed_origins) as string[]),
    signingKeyId: row.signing_key_id,
    loginAt: row.login_at,
    createdAt: row.created_at,
  }
}

const insert = sql<Pick<SiteRow, 'domain' | 'project_id' | 'origin' | 'created_at'>>(
  'INSERT INTO sites (domain, project_id, origin, created_at) VALUES (@domain, @project_id, @origin, @created_at)',
)
const findOwned = sql<{ organizationId: string; domain: string }, SiteRow>(
  `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
   WHERE sites.domain = @domain AND projects.organization_id = @organizationId`,
)
const find = sql<{ domain: string }, SiteRow>('SELECT * FROM sites WHERE domain = @domain')
const list = sql<{ organizationId: string | null }, SiteRow>(
  `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
   WHERE CAST(@organizationId AS text) IS NULL OR projects.organization_id = @organizationId ORDER BY sites.domain`,
)
const listPart = listInParts<SiteRow & { project_name: string }>({
  columns: 'sites.*, projects.name AS project_name',
  from: 'sites JOIN projects ON projects.id = sites.project_id',
  where: 'projects.organization_id = @owner',
  searched: "sites.domain || ' ' || projects.name",
  order: 'sites.domain',
})
const count = sql<{ projectId: string }, { sites: number }>(
  'SELECT count(*) AS sites FROM sites WHERE project_id = @projectId',
)
const updateOrigin = sql<{ domain: string; origin: string | null }>(
  'UPDATE sites SET origin = @origin WHERE domain = @domain',
  { isRepeatable: true },
)
const updateRemoval = sql<{ domain: string; removal: string | null }>(
  'UPDATE sites SET removal = @removal WHERE domain = @domain',
  { isRepeatable: true },
)
const updateAllowedOrigins = sql<{ domain: string; origins: string | null }>(
  'UPDATE sites SET allowed_origins = @origins WHERE domain = @domain',
  { isRepeatable: true },
)
const updateSigningKey = sql<Pick<SiteRow, 'domain' | 'signing_key' | 'signing_key_id'>>(
  'UPDATE sites SET signing_key = @signing_key, signing_key_id = @signing_key_id WHERE domain = @domain',
  { isRepeatable: true },
)
const findLogin = sql<{ domain: string }, { login: Buffer | null }>('SELECT login FROM sites WHERE domain = @domain')
const updateLogin = sql<{ domain: string; login: Uint8Array | null; at: number | null }>(
  'UPDATE sites SET login = @login, login_at = @at WHERE domain = @domain',
  { isRepeatable: true },
)
const remove = sql<{ domain: string }>('DELETE FROM sites WHERE domain = @domain')

export const sites: Works<Sites> = {
  *insert({ domain, projectId, origin, createdAt }) {
    yield* run(insert, { domain, project_id: projectId, origin, created_at: createdAt })
  },
  *findOwned(organizationId, domain) {
    const row = yield* get(findOwned, { organizationId, domain })
    return row && toSite(row)
  },
  *find(domain) {
    const row = yield* get(find, { domain })
    return row && toSite(row)
  },
  *list(organizationId) {
    return (yield* all(list, { organizationId: organizationId ?? null })).map(toSite)
  },
  *listPart(organizationId, part) {
    const { rows, count } = yield* listPart(organizationId, part)
    return { rows: rows.map(row => ({ ...toSite(row), projectName: row.project_name })), count }
  },
  *count(projectId) {
    return (yield* get(count, { projectId }))?.sites ?? 0
  },
  *updateOrigin(domain, origin) {
    return (yield* run(updateOrigin, { domain, origin })) === 1
  },
  *updateRemoval(domain, removal) {
    return (yield* run(updateRemoval, { domain, removal: removal && JSON.stringify(removal) })) === 1
  },
  *updateAllowedOrigins(domain, origins) {
    const stored = origins.length === 0 ? null : JSON.stringify(origins)
    return (yield* run(updateAllowedOrigins, { domain, origins: stored })) === 1
  },
  *updateSigningKey(domain, key) {
    const row = { domain, signing_key: key?.sealed ?? null, signing_key_id: key?.id ?? null }
    return (yield* run(updateSigningKey, row)) === 1
  },
  *findSigningKey(domain) {
    const { signing_key: sealed, signing_key_id: id } = (yield* get(find, { domain })) ?? {}
    return sealed && typeof id === 'string' ? { id, sealed } : undefined
  },
  *findLogin(domain) {
    return (yield* get(findLogin, { domain }))?.login ?? undefined
  },
  *updateLogin(domain, login) {
    return (yield* run(updateLogin, { domain, login: login?.sealed ?? null, at: login?.at ?? null })) === 1
  },
  *delete(domain) {
    return (yield* run(remove, { domain })) === 1
  },
}
