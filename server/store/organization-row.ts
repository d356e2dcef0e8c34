import type { Organization, Plan } from '../tenancy/organization.ts'

/** A row of the table `organizations`. */
export interface OrganizationRow {
  id: string
  name: string
  plan: Plan
  created_at: number
}

export function toOrganization(row: OrganizationRow): Organization {
  return { id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at }
}
