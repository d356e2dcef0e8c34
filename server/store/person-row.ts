import type { Person } from '../tenancy/person.ts'

/** A row of the table `people`. */
export interface PersonRow {
  id: string
  organization_id: string | null
  name: string
  created_at: number
}

export function toPerson(row: PersonRow): Person {
  return { id: row.id, organizationId: row.organization_id, name: row.name, createdAt: row.created_at }
}
