import type { ApiKey, Scope } from '../tenancy/api-key.ts'

/** A row of the table `api_keys`. */
export interface ApiKeyRow {
  id: string
  organization_id: string
  name: string
  last4: string
  scopes: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

export function toScopes(text: string): Scope[] {
  return text.split(' ') as Scope[]
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    last4: row.last4,
    scopes: toScopes(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}
