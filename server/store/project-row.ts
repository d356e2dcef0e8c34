import type { Project, SaltRotation } from '../tenancy/project.ts'

/** A row of the table `projects`. */
export interface ProjectRow {
  id: string
  organization_id: string
  name: string
  visitor_salt_rotation: SaltRotation
  created_at: number
}

export function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    visitorSaltRotation: row.visitor_salt_rotation,
    createdAt: row.created_at,
  }
}
