import type { Sites } from '../tenancy/site.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { type SiteRow, toSite } from './site-row.ts'

export function openSites(database: Database): Sites {
  const insert = database.prepare<Omit<SiteRow, 'removal' | 'allowed_origins'>>(
    'INSERT INTO sites (domain, project_id, origin, created_at) VALUES (@domain, @project_id, @origin, @created_at)',
  )
  const updateOrigin = database.prepare<{ domain: string; origin: string | null }>(
    'UPDATE sites SET origin = @origin WHERE domain = @domain',
  )
  const updateRemoval = database.prepare<{ domain: string; removal: string | null }>(
    'UPDATE sites SET removal = @removal WHERE domain = @domain',
  )
  const updateAllowedOrigins = database.prepare<{ domain: string; origins: string | null }>(
    'UPDATE sites SET allowed_origins = @origins WHERE domain = @domain',
  )
  const remove = database.prepare<{ domain: string }>('DELETE FROM sites WHERE domain = @domain')

  return {
    insert(site) {
      insert.run({
        domain: site.domain,
        project_id: site.projectId,
        origin: site.origin,
        created_at: site.createdAt,
      })
    },
    ...openReads(database),
    updateOrigin: (domain, origin) => updateOrigin.run({ domain, origin }).changes === 1,
    updateRemoval: (domain, removal) =>
      updateRemoval.run({ domain, removal: removal && JSON.stringify(removal) }).changes === 1,
    updateAllowedOrigins: (domain, origins) =>
      updateAllowedOrigins.run({ domain, origins: origins.length === 0 ? null : JSON.stringify(origins) }).changes ===
      1,
    delete: domain => remove.run({ domain }).changes === 1,
  }
}

function openReads(database: Database): Pick<Sites, 'findOwned' | 'find' | 'list' | 'listPart' | 'count'> {
  const findOwned = database.prepare<{ organizationId: string; domain: string }, SiteRow>(
    `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
     WHERE sites.domain = @domain AND projects.organization_id = @organizationId`,
  )
  const find = database.prepare<{ domain: string }, SiteRow>('SELECT * FROM sites WHERE domain = @domain')
  const list = database.prepare<{ organizationId: string | null }, SiteRow>(
    `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
     WHERE @organizationId IS NULL OR projects.organization_id = @organizationId ORDER BY sites.domain`,
  )
  const listPart = prepareListPart<SiteRow & { project_name: string }>(database, {
    columns: 'sites.*, projects.name AS project_name',
    from: 'sites JOIN projects ON projects.id = sites.project_id',
    where: 'projects.organization_id = @owner',
    searched: "sites.domain || ' ' || projects.name",
    order: 'sites.domain',
  })
  const count = database.prepare<{ projectId: string }, { sites: number }>(
    'SELECT count(*) AS sites FROM sites WHERE project_id = @projectId',
  )
  return {
    findOwned(organizationId, domain) {
      const row = findOwned.get({ organizationId, domain })
      return row && toSite(row)
    },
    find(domain) {
      const row = find.get({ domain })
      return row && toSite(row)
    },
    list: (organizationId = undefined) => list.all({ organizationId: organizationId ?? null }).map(toSite),
    listPart(organizationId, part) {
      const { rows, count } = listPart(organizationId, part)
      return { rows: rows.map(row => ({ ...toSite(row), projectName: row.project_name })), count }
    },
    count: projectId => count.get({ projectId })?.sites ?? 0,
  }
}
