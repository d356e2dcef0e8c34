import type { AuditAction, AuditEvent } from '../tenancy/audit-event.ts'

/** A row of the table `audit_events`. */
export interface AuditEventRow {
  id: number
  at: number
  organization_id: string | null
  action: AuditAction
  subject: string
  detail: string | null
  actor: string
  address: string
}

export function toAuditEvent(row: AuditEventRow): AuditEvent {
  return {
    id: row.id,
    at: row.at,
    organizationId: row.organization_id,
    action: row.action,
    subject: row.subject,
    detail: row.detail,
    actor: row.actor,
    address: row.address,
  }
}
