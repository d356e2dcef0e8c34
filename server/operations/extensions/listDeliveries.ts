import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { readCursor, toPage, wrongCursor } from './cursor.ts'
import type { ExtensionDeps } from './deps.ts'
import { toDeliveryBody, unknownWebhook } from './webhook-body.ts'

export async function listDeliveries(
  { params: { webhookId }, query }: Input<'listDeliveries'>,
  { webhooks, webhookDeliveries }: Pick<ExtensionDeps, 'webhooks' | 'webhookDeliveries'>,
  { organizationId }: Client,
): Promise<Output<'listDeliveries'>> {
  // Deliveries are numbered, so the number alone is the place of a row.
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
  if (query.cursor !== undefined && !after) return { status: 400, body: wrongCursor }
  if (!(await webhooks.findOwned(organizationId, webhookId))) return { status: 404, body: unknownWebhook }
  const { status, limit } = query
  const found = await webhookDeliveries.list(webhookId, { status, before: after?.createdAt, limit: limit + 1 })
  const { rows, nextCursor } = toPage(found, limit, ({ number, id }) => ({ createdAt: number, id }))
  return { status: 200, body: { deliveries: rows.map(toDeliveryBody), nextCursor } }
}
