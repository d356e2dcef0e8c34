import type { Sites } from '../../tenancy/site.ts'
import { type SiteRow, toSite } from '../site-row.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { statement } from './statement.ts'

const insert = statement<Omit<SiteRow, 'removal' | 'allowed_origins'>>(
  'INSERT INTO sites (domain, project_id, origin, created_at) VALUES (@domain, @project_id, @origin, @created_at)',
)
const findOwned = statement<{ organizationId: string; domain: string }, SiteRow>(
  `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
   WHERE sites.domain = @domain AND projects.organization_id = @organizationId`,
)
const find = statement<{ domain: string }, SiteRow>('SELECT * FROM sites WHERE domain = @domain')
const list = statement<{ organizationId: string | null }, SiteRow>(
  `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
   WHERE @organizationId::text IS NULL OR projects.organization_id = @organizationId ORDER BY sites.domain`,
)
const listPart = prepareListPart<SiteRow & { project_name: string }>({
  columns: 'sites.*, projects.name AS project_name',
  from: 'sites JOIN projects ON projects.id = sites.project_id',
  where: 'projects.organization_id = @owner',
  searched: "sites.domain || ' ' || projects.name",
  order: 'sites.domain',
})
const count = statement<{ projectId: string }, { sites: number }>(
  'SELECT count(*) AS sites FROM sites WHERE project_id = @projectId',
)
const updateOrigin = statement<{ domain: string; origin: string | null }>(
  'UPDATE sites SET origin = @origin WHERE domain = @domain',
  { isRepeatable: true },
)
const updateRemoval = statement<{ domain: string; removal: string | null }>(
  'UPDATE sites SET removal = @removal WHERE domain = @domain',
  { isRepeatable: true },
)
const updateAllowedOrigins = statement<{ domain: string; origins: string | null }>(
  'UPDATE sites SET allowed_origins = @origins WHERE domain = @domain',
  { isRepeatable: true },
)
const remove = statement<{ domain: string }>('DELETE FROM sites WHERE domain = @domain')

export function openSites(database: Database): Sites {
  return {
    async insert({ domain, projectId, origin, createdAt }) {
      await database.run(insert, { domain, project_id: projectId, origin, created_at: createdAt })
    },
    async findOwned(organizationId, domain) {
      const row = await database.get(findOwned, { organizationId, domain })
      return row && toSite(row)
    },
    async find(domain) {
      const row = await database.get(find, { domain })
      return row && toSite(row)
    },
    list: async (organizationId = undefined) =>
      (await database.all(list, { organizationId: organizationId ?? null })).map(toSite),
    async listPart(organizationId, part) {
      const { rows, count } = await listPart(database, organizationId, part)
      return { rows: rows.map(row => ({ ...toSite(row), projectName: row.project_name })), count }
    },
    count: async projectId => (await database.get(count, { projectId }))?.sites ?? 0,
    updateOrigin: async (domain, origin) => (await database.run(updateOrigin, { domain, origin })) === 1,
    updateRemoval: async (domain, removal) =>
      (await database.run(updateRemoval, { domain, removal: removal && JSON.stringify(removal) })) === 1,
    async updateAllowedOrigins(domain, origins) {
      const stored = origins.length === 0 ? null : JSON.stringify(origins)
      return (await database.run(updateAllowedOrigins, { domain, origins: stored })) === 1
    },
    delete: async domain => (await database.run(remove, { domain })) === 1,
  }
}
