import type { AuditAction, AuditEvent, AuditLog } from '../tenancy/audit-event.ts'
import { all, atomic, get, run, sql, type Works } from './noun.ts'

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

// The events are in the order of their times, so the oldest have the smallest ids, and no index of the times is needed. The newest stays,
// because SQLite would give its number again.
const old = `SELECT id FROM (SELECT id, at FROM audit_events ORDER BY id LIMIT @limit) AS oldest
  WHERE at < @before AND id < (SELECT max(id) FROM audit_events)`
const findOld = sql<{ before: number; limit: number }, { id: number }>(`${old} LIMIT 1`)
const deleteOld = sql<{ before: number; limit: number }>(`DELETE FROM audit_events WHERE id IN (${old})`)
/** The triggers refuse every deletion. A transaction that deletes by age lifts them, and nobody else sees it. */
const lift = sql<object>(({ isPostgres }) =>
  isPostgres
    ? 'ALTER TABLE audit_events DISABLE TRIGGER audit_events_change'
    : 'DROP TRIGGER IF EXISTS audit_events_delete',
)
const guard = sql<object>(({ isPostgres }) =>
  isPostgres
    ? 'ALTER TABLE audit_events ENABLE TRIGGER audit_events_change'
    : `CREATE TRIGGER audit_events_delete BEFORE DELETE ON audit_events BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END`,
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
  expire: atomic(function* (before: number, limit: number) {
    if ((yield* get(findOld, { before, limit })) === undefined) return 0
    yield* run(lift, {})
    const count = yield* run(deleteOld, { before, limit })
    yield* run(guard, {})
    return count
  }),
}
