import type { Webhook, WebhookEvent, Webhooks } from '../webhooks/webhook.ts'
import { listInParts } from './list-part.ts'
import { all, atomic, get, run, sql, type Works } from './noun.ts'

/** A row of the table `webhooks`. */
export interface WebhookRow {
  id: string
  organization_id: string
  url: string
  events: string
  created_at: number
  disabled_at: number | null
  secret: Buffer
  old_secret: Buffer | null
  old_secret_ends_at: number | null
}

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    events: row.events.split(' ') as WebhookEvent[],
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    oldSecretEndsAt: row.old_secret_ends_at,
  }
}

const insert = sql<Pick<WebhookRow, 'id' | 'organization_id' | 'url' | 'events' | 'created_at' | 'secret'>>(
  `INSERT INTO webhooks (id, organization_id, url, events, created_at, secret)
   VALUES (@id, @organization_id, @url, @events, @created_at, @secret)`,
)
export const findWebhook = sql<{ id: string }, WebhookRow>('SELECT * FROM webhooks WHERE id = @id')
const findOwned = sql<{ organizationId: string; id: string }, WebhookRow>(
  'SELECT * FROM webhooks WHERE id = @id AND organization_id = @organizationId',
)
const list = sql<{ organizationId: string | null }, WebhookRow>(
  `SELECT * FROM webhooks
   WHERE CAST(@organizationId AS text) IS NULL OR organization_id = @organizationId ORDER BY created_at, id`,
)
const listPart = listInParts<WebhookRow>({
  columns: '*',
  from: 'webhooks',
  where: 'organization_id = @owner',
  searched: 'url',
  order: 'created_at, id',
})
const remove = sql<{ id: string }>('DELETE FROM webhooks WHERE id = @id')
const rotateSecret = sql<{ id: string; secret: Uint8Array; until: number }>(
  'UPDATE webhooks SET old_secret = secret, old_secret_ends_at = @until, secret = @secret WHERE id = @id',
)
const enable = sql<{ id: string }>('UPDATE webhooks SET disabled_at = NULL WHERE id = @id AND disabled_at IS NOT NULL')
const disable = sql<{ id: string; now: number }>(
  'UPDATE webhooks SET disabled_at = @now WHERE id = @id AND disabled_at IS NULL',
)
const giveUp = sql<{ id: string; error: string }>(
  `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, error = @error
   WHERE webhook_id = @id AND status = 'pending'`,
)

export const webhooks: Works<Webhooks> = {
  *insert({ id, organizationId, url, events, createdAt }, sealedSecret) {
    yield* run(insert, {
      id,
      organization_id: organizationId,
      url,
      events: events.join(' '),
      created_at: createdAt,
      secret: Buffer.from(sealedSecret),
    })
  },
  *find(id) {
    const row = yield* get(findWebhook, { id })
    return row && toWebhook(row)
  },
  *findOwned(organizationId, id) {
    const row = yield* get(findOwned, { organizationId, id })
    return row && toWebhook(row)
  },
  *list(organizationId) {
    return (yield* all(list, { organizationId: organizationId ?? null })).map(toWebhook)
  },
  *listPart(organizationId, part) {
    const { rows, count } = yield* listPart(organizationId, part)
    return { rows: rows.map(toWebhook), count }
  },
  *delete(id) {
    return (yield* run(remove, { id })) === 1
  },
  *rotateSecret(id, sealedSecret, oldSecretEndsAt) {
    return (yield* run(rotateSecret, { id, secret: sealedSecret, until: oldSecretEndsAt })) === 1
  },
  *enable(id) {
    return (yield* run(enable, { id })) === 1
  },
  disable: atomic(function* (id: string, error: string, now: number) {
    if ((yield* run(disable, { id, now })) !== 1) return false
    yield* run(giveUp, { id, error })
    return true
  }),
}
