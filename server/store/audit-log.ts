import type { AuditAction, AuditEvent, AuditLog } from '../tenancy/audit-event.ts'
import { all, run, sql, type Works } from './noun.ts'

/** A row of the table `audit_events`. */
interface AuditEventRow {
  id: number
  at: number
  organization_id: string | null
  action: AuditAction
  subject: string
  detail: string | null
  actor: string
  address: string
}

function toAuditEvent(row: AuditEventRow): AuditEvent {
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

const append = sql<Omit<AuditEventRow, 'id'>>(
  `INSERT INTO audit_events (at, organization_id, action, subject, detail, actor, address)
   VALUES (@at, @organization_id, @action, @subject, @detail, @actor, @address)`,
)
const listAll = sql<{ before: number; limit: number }, AuditEventRow>(
  'SELECT * FROM audit_events WHERE id < @before ORDER BY id DESC LIMIT @limit',
)
const list = sql<{ organizationId: string; before: number; limit: number }, AuditEventRow>(
  'SELECT * FROM audit_events WHERE organization_id = @organizationId AND id < @before ORDER BY id DESC LIMIT @limit',
)

export const auditLog: Works<AuditLog> = {
  *append({ at, organizationId, action, subject, detail, actor, address }) {
    yield* run(append, { at, organization_id: organizationId, action, subject, detail, actor, address })
  },
  *list({ organizationId, before = Number.MAX_SAFE_INTEGER, limit }) {
    const rows =
      organizationId === undefined
        ? yield* all(listAll, { before, limit })
        : yield* all(list, { organizationId, before, limit })
    return rows.map(toAuditEvent)
  },
}
