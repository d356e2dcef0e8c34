import type { Organizations, Plan } from '../tenancy/organization.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { type OrganizationRow, toOrganization } from './organization-row.ts'

export function openOrganizations(database: Database): Organizations {
  const insert = database.prepare<OrganizationRow>(
    'INSERT INTO organizations (id, name, plan, created_at) VALUES (@id, @name, @plan, @created_at)',
  )
  const find = database.prepare<{ id: string }, OrganizationRow>('SELECT * FROM organizations WHERE id = @id')
  const list = database.prepare<[], OrganizationRow>('SELECT * FROM organizations ORDER BY created_at, id')
  const listPart = prepareListPart<OrganizationRow>(database, {
    columns: '*',
    from: 'organizations',
    where: 'true',
    searched: "name || ' ' || id",
    order: 'created_at, id',
  })
  const updatePlan = database.prepare<{ id: string; plan: Plan }>(
    'UPDATE organizations SET plan = @plan WHERE id = @id',
  )

  return {
    insert(organization) {
      insert.run({
        id: organization.id,
        name: organization.name,
        plan: organization.plan,
        created_at: organization.createdAt,
      })
    },
    find(id) {
      const row = find.get({ id })
      return row && toOrganization(row)
    },
    list: () => list.all().map(toOrganization),
    listPart(part) {
      const { rows, count } = listPart(null, part)
      return { rows: rows.map(toOrganization), count }
    },
    updatePlan: (id, plan) => updatePlan.run({ id, plan }).changes === 1,
  }
}
