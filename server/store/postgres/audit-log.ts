import type { AuditLog } from '../../tenancy/audit-event.ts'
import { type AuditEventRow, toAuditEvent } from '../audit-event-row.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

const append = statement<Omit<AuditEventRow, 'id'>>(
  `INSERT INTO audit_events (at, organization_id, action, subject, detail, actor, address)
   VALUES (@at, @organization_id, @action, @subject, @detail, @actor, @address)`,
)
const listAll = statement<{ before: number; limit: number }, AuditEventRow>(
  'SELECT * FROM audit_events WHERE id < @before ORDER BY id DESC LIMIT @limit',
)
const list = statement<{ organizationId: string; before: number; limit: number }, AuditEventRow>(
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
