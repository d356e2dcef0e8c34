import { createId } from '../tenancy/id.ts'
import type { DeliveryType, WebhookEvent } from '../webhooks/webhook.ts'
import { all, run, sql, type Work } from './noun.ts'

// Other nouns call these in the transaction of their change, so that a killed process loses no event and makes up none.

/** An event, without whom it concerns. */
export interface EventToSend {
  type: DeliveryType
  /** Events of one subject are delivered in order. */
  subject: string
  /** Becomes JSON, in the form of the API. */
  data: object
  /** Stands beside the data. */
  more?: object
  now: number
}

const isSubscribed = "disabled_at IS NULL AND ' ' || events || ' ' LIKE '% ' || @type || ' %'"
// Locked, so that no webhook is deleted or disabled before the end of the transaction.
const findOfOrganization = sql<{ organizationId: string; type: string }, { id: string }>(
  `SELECT id FROM webhooks WHERE organization_id = @organizationId AND ${isSubscribed} ORDER BY id FOR SHARE`,
)
const findOfProject = sql<{ projectId: string; type: string }, { id: string }>(
  `SELECT id FROM webhooks
   WHERE organization_id = (SELECT organization_id FROM projects WHERE id = @projectId) AND ${isSubscribed}
   ORDER BY id FOR SHARE`,
)
const insert = sql<{ id: string; webhookId: string; type: string; subject: string; body: string; now: number }>(
  ({
    now,
  }) => `INSERT INTO webhook_deliveries (id, webhook_id, type, subject, body, status, created_at, next_attempt_at)
   VALUES (@id, @webhookId, @type, @subject, @body, 'pending', CAST(@now AS bigint), ${now})`,
)

/** Finds the webhooks of the organization that want an event. */
export function* findSubscribed(organizationId: string, type: WebhookEvent): Work<string[]> {
  return (yield* all(findOfOrganization, { organizationId, type })).map(({ id }) => id)
}

/** Finds the webhooks that want an event of a project. */
export function* findSubscribedOf(projectId: string, type: WebhookEvent): Work<string[]> {
  return (yield* all(findOfProject, { projectId, type })).map(({ id }) => id)
}

/** Adds a delivery of the event to the queue, for each of the webhooks. Returns their ids. */
export function* enqueue(
  webhookIds: readonly string[],
  { type, subject, data, now, more }: EventToSend,
): Work<string[]> {
  const body = JSON.stringify({ type, timestamp: new Date(now).toISOString(), data, ...more })
  const ids: string[] = []
  for (const webhookId of webhookIds) {
    const id = createId('msg')
    yield* run(insert, { id, webhookId, type, subject, body, now })
    ids.push(id)
  }
  return ids
}
