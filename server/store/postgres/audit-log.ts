import type { AuditAction, AuditEvent, AuditLog } from '../../tenancy/audit-event.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

interface Row {
  id: number
  at: number
  organization_id: string | null
  action: AuditAction
  subject: string
  detail: string | null
  actor: string
  address: string
}

const append = statement<Omit<Row, 'id'>>(
  `INSERT INTO audit_events (at, organization_id, action, subject, detail, actor, address)
   VALUES (@at, @organization_id, @action, @subject, @detail, @actor, @address)`,
)
const listAll = statement<{ before: number; limit: number }, Row>(
  'SELECT * FROM audit_events WHERE id < @before ORDER BY id DESC LIMIT @limit',
)
const list = statement<{ organizationId: string; before: number; limit: number }, Row>(
  'SELECT * FROM audit_events WHERE organization_id = @organizationId AND id < @before ORDER BY id DESC LIMIT @limit',
)

export function openAuditLog(database: Database): AuditLog {
  return {
    async append({ at, organizationId, action, subject, detail, actor, address }) {
      await database.run(append, { at, organization_id: organizationId, action, subject, detail, actor, address })
    },
    async list({ organizationId, before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows =
        organizationId === undefined
          ? database.all(listAll, { before, limit })
          : database.all(list, { organizationId, before, limit })
      return (await rows).map(toAuditEvent)
    },
  }
}

function toAuditEvent(row: Row): AuditEvent {
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
