import type { Organizations, Plan } from '../../tenancy/organization.ts'
import { type OrganizationRow, toOrganization } from '../organization-row.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { statement } from './statement.ts'

const insert = statement<OrganizationRow>(
  'INSERT INTO organizations (id, name, plan, created_at) VALUES (@id, @name, @plan, @created_at)',
)
const find = statement<{ id: string }, OrganizationRow>(
  'SELECT id, name, plan, created_at FROM organizations WHERE id = @id',
)
const list = statement<object, OrganizationRow>(
  'SELECT id, name, plan, created_at FROM organizations ORDER BY created_at, id',
)
const listPart = prepareListPart<OrganizationRow>({
  columns: 'id, name, plan, created_at',
  from: 'organizations',
  where: 'true',
  searched: "name || ' ' || id",
  order: 'created_at, id',
})
const updatePlan = statement<{ id: string; plan: Plan }>('UPDATE organizations SET plan = @plan WHERE id = @id', {
  isRepeatable: true,
})

export function openOrganizations(database: Database): Organizations {
  return {
    async insert({ id, name, plan, createdAt }) {
      await database.run(insert, { id, name, plan, created_at: createdAt })
    },
    async find(id) {
      const row = await database.get(find, { id })
      return row && toOrganization(row)
    },
    list: async () => (await database.all(list, {})).map(toOrganization),
    async listPart(part) {
      const { rows, count } = await listPart(database, null, part)
      return { rows: rows.map(toOrganization), count }
    },
    updatePlan: async (id, plan) => (await database.run(updatePlan, { id, plan })) === 1,
  }
}
