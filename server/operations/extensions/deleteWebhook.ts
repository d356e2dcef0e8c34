import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { describeWebhook, toWebhookBody, unknownWebhook } from './webhook-body.ts'

export async function deleteWebhook(
  { params: { webhookId } }: Input<'deleteWebhook'>,
  deps: Pick<ExtensionDeps, 'webhooks' | 'atomically' | 'now'>,
  client: Client,
): Promise<Output<'deleteWebhook'>> {
  const webhook = await deps.webhooks.findOwned(client.organizationId, webhookId)
  if (!webhook) return { status: 404, body: unknownWebhook }
  const event = { action: 'webhook.deleted', ...describeWebhook(webhook) } as const
  const isDeleted = await recordByClient(deps, client, event, {
    change: ({ webhooks }) => webhooks.delete(webhookId),
    isChange: done => done,
  })
  return isDeleted ? { status: 200, body: toWebhookBody(webhook) } : { status: 404, body: unknownWebhook }
}
