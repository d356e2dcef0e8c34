import type { Caller } from '../tenancy/api-key.ts'
import type { AuditEvent } from '../tenancy/audit-event.ts'

/** Where clients reach the server. */
export interface ServerAddress {
  /** Without a trailing slash, such as https://api.example.com/quire */
  url: string
  /** False if no public URL is known. Then the URL is the address that the server listens on. */
  isPublic: boolean
}

/** The caller of an operation, and where it reaches the server. */
export interface Client extends Caller {
  address: ServerAddress
  /** Who calls, for the audit log: see `AuditEvent.actor`. */
  actor: string
  /** From where the request came, for the audit log. */
  ipAddress: string
}

/** Makes the audit event of what a client does. */
export function toClientEvent(
  { organizationId, actor, ipAddress }: Client,
  event: Pick<AuditEvent, 'at' | 'action' | 'subject' | 'detail'>,
): Omit<AuditEvent, 'id'> {
  return { ...event, organizationId, actor, address: ipAddress }
}
