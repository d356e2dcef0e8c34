import type { Projects } from '../../tenancy/project.ts'
import { type ProjectRow, toProject } from '../project-row.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { statement } from './statement.ts'

const insert = statement<ProjectRow>(
  `INSERT INTO projects (id, organization_id, name, visitor_salt_rotation, created_at)
   VALUES (@id, @organization_id, @name, @visitor_salt_rotation, @created_at)`,
)
const findOwned = statement<{ organizationId: string; id: string }, ProjectRow>(
  'SELECT * FROM projects WHERE id = @id AND organization_id = @organizationId',
)
const findNamed = statement<{ organizationId: string; name: string }, ProjectRow>(
  'SELECT * FROM projects WHERE organization_id = @organizationId AND name = @name ORDER BY created_at, id LIMIT 1',
)
const find = statement<{ id: string }, ProjectRow>('SELECT * FROM projects WHERE id = @id')
const list = statement<{ organizationId: string | null }, ProjectRow>(
  `SELECT * FROM projects WHERE @organizationId::text IS NULL OR organization_id = @organizationId
   ORDER BY created_at, id`,
)
const listPart = prepareListPart<ProjectRow>({
  columns: '*',
  from: 'projects',
  where: 'organization_id = @owner',
  searched: "name || ' ' || id",
  order: 'created_at, id',
})

export function openProjects(database: Database): Projects {
  return {
    async insert(project) {
      await database.run(insert, {
        id: project.id,
        organization_id: project.organizationId,
        name: project.name,
        visitor_salt_rotation: project.visitorSaltRotation,
        created_at: project.createdAt,
      })
    },
    async findOwned(organizationId, id) {
      const row = await database.get(findOwned, { organizationId, id })
      return row && toProject(row)
    },
    async findNamed(organizationId, name) {
      const row = await database.get(findNamed, { organizationId, name })
      return row && toProject(row)
    },
    async find(id) {
      const row = await database.get(find, { id })
      return row && toProject(row)
    },
    list: async (organizationId = undefined) =>
      (await database.all(list, { organizationId: organizationId ?? null })).map(toProject),
    async listPart(organizationId, part) {
      const { rows, count } = await listPart(database, organizationId, part)
      return { rows: rows.map(toProject), count }
    },
  }
}
