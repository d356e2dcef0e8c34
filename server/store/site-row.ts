import { noRemovalRules } from '../products/removal-rules.ts'
import type { RemovalRules } from '../tenancy/removal-rules.ts'
import type { Site } from '../tenancy/site.ts'

/** A row of the table `sites`. */
export interface SiteRow {
  domain: string
  project_id: string
  origin: string | null
  removal: string | null
  allowed_origins: string | null
  created_at: number
}

export function toSite(row: SiteRow): Site {
  return {
    domain: row.domain,
    projectId: row.project_id,
    origin: row.origin,
    // Rules stored by an older version lack newer fields.
    removal: row.removal === null ? null : { ...noRemovalRules, ...(JSON.parse(row.removal) as Partial<RemovalRules>) },
    allowedOrigins: row.allowed_origins === null ? [] : (JSON.parse(row.allowed_origins) as string[]),
    createdAt: row.created_at,
  }
}
