import type { Session } from '../tenancy/sign-in.ts'

/** A row of the table `sessions`. */
export interface SessionRow {
  id: string
  person_id: string
  created_at: number
  last_seen_at: number
  expires_at: number
  address: string
}

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    personId: row.person_id,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
    address: row.address,
  }
}
