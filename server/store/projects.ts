import type { Projects } from '../tenancy/project.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { type ProjectRow, toProject } from './project-row.ts'

export function openProjects(database: Database): Projects {
  const insert = database.prepare<ProjectRow>(
    `INSERT INTO projects (id, organization_id, name, visitor_salt_rotation, created_at, has_visits)
     VALUES (@id, @organization_id, @name, @visitor_salt_rotation, @created_at, 0)`,
  )
  const findOwned = database.prepare<{ organizationId: string; id: string }, ProjectRow>(
    'SELECT * FROM projects WHERE id = @id AND organization_id = @organizationId',
  )
  const findNamed = database.prepare<{ organizationId: string; name: string }, ProjectRow>(
    `SELECT * FROM projects WHERE organization_id = @organizationId AND name = @name ORDER BY created_at, id LIMIT 1`,
  )
  const find = database.prepare<{ id: string }, ProjectRow>('SELECT * FROM projects WHERE id = @id')
  const list = database.prepare<{ organizationId: string | null }, ProjectRow>(
    `SELECT * FROM projects WHERE @organizationId IS NULL OR organization_id = @organizationId ORDER BY created_at, id`,
  )
  const listPart = prepareListPart<ProjectRow>(database, {
    columns: '*',
    from: 'projects',
    where: 'organization_id = @owner',
    searched: "name || ' ' || id",
    order: 'created_at, id',
  })

  return {
    insert(project) {
      insert.run({
        id: project.id,
        organization_id: project.organizationId,
        name: project.name,
        visitor_salt_rotation: project.visitorSaltRotation,
        created_at: project.createdAt,
      })
    },
    findOwned(organizationId, id) {
      const row = findOwned.get({ organizationId, id })
      return row && toProject(row)
    },
    findNamed(organizationId, name) {
      const row = findNamed.get({ organizationId, name })
      return row && toProject(row)
    },
    find(id) {
      const row = find.get({ id })
      return row && toProject(row)
    },
    list: (organizationId = undefined) => list.all({ organizationId: organizationId ?? null }).map(toProject),
    listPart(organizationId, part) {
      const { rows, count } = listPart(organizationId, part)
      return { rows: rows.map(toProject), count }
    },
  }
}
