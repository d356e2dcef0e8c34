import type { AuditLog } from '../tenancy/audit-event.ts'
import { type AuditEventRow, toAuditEvent } from './audit-event-row.ts'
import type { Database } from './database.ts'

interface Range {
  before: number
  limit: number
}

export function openAuditLog(database: Database): AuditLog {
  const append = database.prepare<Omit<AuditEventRow, 'id'>>(
    `INSERT INTO audit_events (at, organization_id, action, subject, detail, actor, address)
     VALUES (@at, @organization_id, @action, @subject, @detail, @actor, @address)`,
  )
  const listAll = database.prepare<Range, AuditEventRow>(
    'SELECT * FROM audit_events WHERE id < @before ORDER BY id DESC LIMIT @limit',
  )
  const list = database.prepare<Range & { organizationId: string }, AuditEventRow>(
    `SELECT * FROM audit_events WHERE organization_id = @organizationId AND id < @before ORDER BY id DESC LIMIT @limit`,
  )

  return {
    append(event) {
      append.run({
        at: event.at,
        organization_id: event.organizationId,
        action: event.action,
        subject: event.subject,
        detail: event.detail,
        actor: event.actor,
        address: event.address,
      })
    },
    list({ organizationId, before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows =
        organizationId === undefined ? listAll.all({ before, limit }) : list.all({ organizationId, before, limit })
      return rows.map(toAuditEvent)
    },
  }
}
