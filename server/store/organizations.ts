import type { Organization, Organizations, Plan } from '../tenancy/organization.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'

interface Row {
  id: string
  name: string
  plan: Plan
  created_at: number
}

export function openOrganizations(database: Database): Organizations {
  const insert = database.prepare<Row>(
    'INSERT INTO organizations (id, name, plan, created_at) VALUES (@id, @name, @plan, @created_at)',
  )
  const find = database.prepare<{ id: string }, Row>('SELECT * FROM organizations WHERE id = @id')
  const list = database.prepare<[], Row>('SELECT * FROM organizations ORDER BY created_at, id')
  const listPart = prepareListPart<Row>(database, {
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

function toOrganization(row: Row): Organization {
  return { id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at }
}
