import type { Organization, Organizations, Plan } from '../tenancy/organization.ts'
import { listInParts } from './list-part.ts'
import { all, get, run, sql, type Works } from './noun.ts'

/** A row of the table `organizations`. */
interface OrganizationRow {
  id: string
  name: string
  plan: Plan
  created_at: number
}

function toOrganization(row: OrganizationRow): Organization {
  return { id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at }
}

const columns = 'id, name, plan, created_at'

const insert = sql<OrganizationRow>(`INSERT INTO organizations (${columns}) VALUES (@id, @name, @plan, @created_at)`)
const find = sql<{ id: string }, OrganizationRow>(`SELECT ${columns} FROM organizations WHERE id = @id`)
const list = sql<object, OrganizationRow>(`SELECT ${columns} FROM organizations ORDER BY created_at, id`)
const listPart = listInParts<OrganizationRow>({
  columns,
  from: 'organizations',
  where: 'true',
  searched: "name || ' ' || id",
  order: 'created_at, id',
})
const updatePlan = sql<{ id: string; plan: Plan }>('UPDATE organizations SET plan = @plan WHERE id = @id', {
  isRepeatable: true,
})
const updateName = sql<{ id: string; name: string }>('UPDATE organizations SET name = @name WHERE id = @id', {
  isRepeatable: true,
})

export const organizations: Works<Organizations> = {
  *insert({ id, name, plan, createdAt }) {
    yield* run(insert, { id, name, plan, created_at: createdAt })
  },
  *find(id) {
    const row = yield* get(find, { id })
    return row && toOrganization(row)
  },
  *list() {
    return (yield* all(list, {})).map(toOrganization)
  },
  *listPart(part) {
    const { rows, count } = yield* listPart(null, part)
    return { rows: rows.map(toOrganization), count }
  },
  *updateName(id, name) {
    return (yield* run(updateName, { id, name })) === 1
  },
  *updatePlan(id, plan) {
    return (yield* run(updatePlan, { id, plan })) === 1
  },
}
