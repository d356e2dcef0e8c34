import { noRemovalRules } from '../products/removal-rules.ts'
import type { RemovalRules } from '../tenancy/removal-rules.ts'
import type { Site, Sites } from '../tenancy/site.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'

interface Row {
  domain: string
  project_id: string
  origin: string | null
  removal: string | null
  allowed_origins: string | null
  created_at: number
}

export function openSites(database: Database): Sites {
  const insert = database.prepare<Omit<Row, 'removal' | 'allowed_origins'>>(
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
  const findOwned = database.prepare<{ organizationId: string; domain: string }, Row>(
    `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
     WHERE sites.domain = @domain AND projects.organization_id = @organizationId`,
  )
  const find = database.prepare<{ domain: string }, Row>('SELECT * FROM sites WHERE domain = @domain')
  const list = database.prepare<{ organizationId: string | null }, Row>(
    `SELECT sites.* FROM sites JOIN projects ON projects.id = sites.project_id
     WHERE @organizationId IS NULL OR projects.organization_id = @organizationId ORDER BY sites.domain`,
  )
  const listPart = prepareListPart<Row & { project_name: string }>(database, {
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

function toSite(row: Row): Site {
  return {
    domain: row.domain,
    projectId: row.project_id,
    origin: row.origin,
    // Rules stored by an older version lack newer fields.
    removal: row.removal === null ? null : { ...noRemovalRules, ...(JSON.parse(row.removal) as Partial<RemovalRules>) },
    allowedOrigins: row.allowed_origins === null ? [] : (JSON.parse(row.allowed_origins) as string[]),
    createdAt: row.created_at,
  }
}
