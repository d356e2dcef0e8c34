import { type Project, type Projects, type SaltRotation, usualCounting, type VisitorRules } from '../tenancy/project.ts'
import { listInParts } from './list-part.ts'
import { all, get, run, sql, type Works } from './noun.ts'

/** A row of the table `projects`. */
interface ProjectRow {
  id: string
  organization_id: string
  name: string
  visitor_salt_rotation: SaltRotation
  visitor_rules: VisitorRules
  /** JSON; without fields = the usual settings. */
  counting: string
  created_at: number
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    visitorSaltRotation: row.visitor_salt_rotation,
    visitorRules: row.visitor_rules,
    ...(row.counting !== '{}' && { counting: { ...usualCounting, ...(JSON.parse(row.counting) as object) } }),
    createdAt: row.created_at,
  }
}

const columns = 'id, organization_id, name, visitor_salt_rotation, visitor_rules, created_at'

const insert = sql<Omit<ProjectRow, 'counting'>>(
  // On SQLite, the visits of a project are in a file of their own.
  ({ isPostgres }) => `INSERT INTO projects (${columns}${isPostgres ? '' : ', has_visits'})
   VALUES (@id, @organization_id, @name, @visitor_salt_rotation, @visitor_rules, @created_at${isPostgres ? '' : ', 0'})`,
)
const setVisitorRules = sql<{ id: string; rules: VisitorRules }>(
  'UPDATE projects SET visitor_rules = @rules WHERE id = @id',
)
const setCounting = sql<{ id: string; counting: string }>('UPDATE projects SET counting = @counting WHERE id = @id')
const updateName = sql<{ id: string; name: string }>('UPDATE projects SET name = @name WHERE id = @id', {
  isRepeatable: true,
})
const findOwned = sql<{ organizationId: string; id: string }, ProjectRow>(
  'SELECT * FROM projects WHERE id = @id AND organization_id = @organizationId',
)
const findNamed = sql<{ organizationId: string; name: string }, ProjectRow>(
  'SELECT * FROM projects WHERE organization_id = @organizationId AND name = @name ORDER BY created_at, id LIMIT 1',
)
const find = sql<{ id: string }, ProjectRow>('SELECT * FROM projects WHERE id = @id')
const list = sql<{ organizationId: string | null }, ProjectRow>(
  `SELECT * FROM projects WHERE CAST(@organizationId AS text) IS NULL OR organization_id = @organizationId
   ORDER BY created_at, id`,
)
const listPart = listInParts<ProjectRow>({
  columns: '*',
  from: 'projects',
  where: 'organization_id = @owner',
  searched: "name || ' ' || id",
  order: 'created_at, id',
})

export const projects: Works<Projects> = {
  *insert({ id, organizationId, name, visitorSaltRotation, visitorRules, createdAt }) {
    yield* run(insert, {
      id,
      organization_id: organizationId,
      name,
      visitor_salt_rotation: visitorSaltRotation,
      visitor_rules: visitorRules,
      created_at: createdAt,
    })
  },
  *updateName(id, name) {
    return (yield* run(updateName, { id, name })) === 1
  },
  *setCounting(id, counting) {
    yield* run(setCounting, { id, counting: JSON.stringify(counting) })
  },
  *setVisitorRules(id, rules) {
    yield* run(setVisitorRules, { id, rules })
  },
  *findOwned(organizationId, id) {
    const row = yield* get(findOwned, { organizationId, id })
    return row && toProject(row)
  },
  *findNamed(organizationId, name) {
    const row = yield* get(findNamed, { organizationId, name })
    return row && toProject(row)
  },
  *find(id) {
    const row = yield* get(find, { id })
    return row && toProject(row)
  },
  *list(organizationId) {
    return (yield* all(list, { organizationId: organizationId ?? null })).map(toProject)
  },
  *listPart(organizationId, part) {
    const { rows, count } = yield* listPart(organizationId, part)
    return { rows: rows.map(toProject), count }
  },
}
