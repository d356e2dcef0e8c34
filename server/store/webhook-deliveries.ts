import type {
  AttemptResult,
  ClaimedDelivery,
  Delivery,
  DeliveryStatus,
  DeliveryType,
  WebhookDeliveries,
} from '../webhooks/webhook.ts'
import { all, atomic, get, run, sql, type Works } from './noun.ts'
import { enqueue, findSubscribedOf } from './webhook-events.ts'
import { findWebhook, toWebhook } from './webhooks.ts'

/** A row of the table `webhook_deliveries`. */
interface DeliveryRow {
  number: number
  id: string
  webhook_id: string
  type: DeliveryType
  subject: string
  body: string
  status: DeliveryStatus
  attempts: number
  created_at: number
  first_attempt_at: number | null
  last_attempt_at: number | null
  next_attempt_at: number | null
  response_status: number | null
  error: string | null
}

function toDelivery(row: Omit<DeliveryRow, 'body'>): Delivery {
  return {
    id: row.id,
    number: row.number,
    webhookId: row.webhook_id,
    type: row.type,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    lastAttemptAt: row.last_attempt_at,
    nextAttemptAt: row.next_attempt_at,
    responseStatus: row.response_status,
    error: row.error,
  }
}

/** No wait is longer. A delivery that is due later was stored before the clock was set back. */
const maxWaitMs = 25 * 60 * 60 * 1000

const find = sql<{ id: string }, DeliveryRow>('SELECT * FROM webhook_deliveries WHERE id = @id')
const list = sql<{ webhookId: string; status: string | null; before: number; limit: number }, DeliveryRow>(
  `SELECT * FROM webhook_deliveries
   WHERE webhook_id = @webhookId AND number < CAST(@before AS bigint) AND (CAST(@status AS text) IS NULL OR status = @status)
   ORDER BY number DESC LIMIT @limit`,
)
/** The delivery that may be sent first, of those whose next attempt is due. In order of the index, so that few rows are read. */
const findNext = (isDue: string, busy: string) => `(SELECT number FROM webhook_deliveries AS due
     WHERE status = 'pending' AND ${isDue} AND webhook_id NOT IN (${busy})
       AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS earlier
         WHERE earlier.status = 'pending' AND earlier.webhook_id = due.webhook_id AND earlier.subject = due.subject
           AND earlier.number < due.number)
     ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)`
// The lease is the time of the next attempt, and its token the number of attempts. Servers that claim at the same time skip the row that
// another has locked.
const claim = sql<{ now: number; leaseMs: number; busy: string }, DeliveryRow>(({ now, isPostgres }) => {
  const busy = isPostgres ? 'SELECT json_array_elements_text(@busy::json)' : 'SELECT value FROM json_each(@busy)'
  // Two searches, because SQLite would read all that waits for an OR, and PostgreSQL for a clock that is not a subquery.
  const due = [`next_attempt_at <= (SELECT ${now})`, `next_attempt_at > (SELECT ${now} + ${maxWaitMs})`].map(each =>
    findNext(each, busy),
  )
  return `UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = ${now} + @leaseMs,
     first_attempt_at = coalesce(first_attempt_at, ${now}), last_attempt_at = ${now}
   WHERE number = coalesce(${due}) RETURNING *`
})
const record = sql<
  Pick<Delivery, 'number' | 'attempts' | 'status' | 'responseStatus' | 'error'> & { now: number; delayMs: number }
>(
  ({ now }) => `UPDATE webhook_deliveries SET status = @status, response_status = @responseStatus, error = @error,
     next_attempt_at = CASE WHEN @status = 'pending' THEN ${now} + @delayMs END
   WHERE number = @number AND attempts = @attempts AND status = 'pending'`,
  { isRepeatable: true },
)
const deleteEnded = sql<{ createdBefore: number; limit: number }>(
  `DELETE FROM webhook_deliveries WHERE number IN (
     SELECT number FROM webhook_deliveries WHERE status <> 'pending' AND created_at < @createdBefore LIMIT @limit)`,
)
// Ended deliveries are kept for longer than a key is expiring, so they tell who was told.
const findUntold = sql<
  { now: number; until: number },
  { webhook_id: string; id: string; name: string; last4: string; expires_at: number }
>(
  `SELECT webhooks.id AS webhook_id, api_keys.id, api_keys.name, last4, expires_at
   FROM webhooks JOIN api_keys ON api_keys.organization_id = webhooks.organization_id
   WHERE disabled_at IS NULL AND ' ' || events || ' ' LIKE '% key.expiring %'
     AND revoked_at IS NULL AND expires_at > @now AND expires_at <= @until
     AND NOT EXISTS (SELECT 1 FROM webhook_deliveries
       WHERE webhook_id = webhooks.id AND type = 'key.expiring' AND subject = api_keys.id)`,
)
const wasTold = sql<{ webhookId: string; type: DeliveryType; subject: string; since: number }, object>(
  `SELECT 1 FROM webhook_deliveries
   WHERE webhook_id = @webhookId AND type = @type AND subject = @subject AND created_at >= @since LIMIT 1`,
)

/** On PostgreSQL, all use its clock for the times of attempts. */
export const webhookDeliveries: Works<WebhookDeliveries> = {
  enqueueTest: atomic(function* (webhookId: string, now: number) {
    const webhook = yield* get(findWebhook, { id: webhookId })
    if (!webhook || webhook.disabled_at !== null) return undefined
    // A subject of its own: a test waits for no other.
    const subject = `${webhookId} ${now}`
    const [id = ''] = yield* enqueue([webhookId], { type: 'webhook.test', subject, data: { webhookId }, now })
    const row = yield* get(find, { id })
    return row && toDelivery(row)
  }),
  enqueueExpiringKeys: atomic(function* (now: number, until: number) {
    const untold = yield* all(findUntold, { now, until })
    for (const { webhook_id, id, name, last4, expires_at } of untold) {
      const data = { keyId: id, name, last4, expiresAt: new Date(expires_at).toISOString() }
      yield* enqueue([webhook_id], { type: 'key.expiring', subject: id, data, now })
    }
    return untold.length
  }),
  enqueueLagging: atomic(function* (projectId: string, lastVisitAt: number, now: number) {
    const type = 'visits.lagging'
    const untold: string[] = []
    for (const webhookId of yield* findSubscribedOf(projectId, type)) {
      const told = yield* get(wasTold, { webhookId, type, subject: projectId, since: lastVisitAt })
      if (!told) untold.push(webhookId)
    }
    const data = { projectId, lastVisitAt: new Date(lastVisitAt).toISOString() }
    yield* enqueue(untold, { type, subject: projectId, data, now })
    return untold.length
  }),
  *list(webhookId, { status = null, before = Number.MAX_SAFE_INTEGER, limit }) {
    return (yield* all(list, { webhookId, status, before, limit })).map(toDelivery)
  },
  *claim(now, leaseMs, busy) {
    const row = yield* get(claim, { now, leaseMs, busy: JSON.stringify(busy) })
    const webhook = row && (yield* get(findWebhook, { id: row.webhook_id }))
    if (!webhook) return undefined
    const isOldUsed = webhook.old_secret !== null && (webhook.old_secret_ends_at ?? 0) > now
    return {
      delivery: toDelivery(row),
      body: row.body,
      firstAttemptAt: row.first_attempt_at,
      webhook: toWebhook(webhook),
      sealedSecrets: [webhook.secret, ...(isOldUsed ? [webhook.old_secret] : [])],
    } as ClaimedDelivery
  },
  *record({ number, attempts }, { status, responseStatus, error, ...rest }: AttemptResult, now) {
    const delayMs = 'delayMs' in rest ? Math.round(rest.delayMs) : 0
    return (yield* run(record, { number, attempts, status, responseStatus, error, delayMs, now })) === 1
  },
  *deleteEnded(createdBefore, limit) {
    return yield* run(deleteEnded, { createdBefore, limit })
  },
}
