import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { secretOverlapMs } from '../../webhooks/webhook.ts'
import type { Client } from '../client.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { describeWebhook, toTime, unknownWebhook } from './webhook-body.ts'

export async function rotateWebhookSecret(
  { params: { webhookId } }: Input<'rotateWebhookSecret'>,
  deps: Pick<ExtensionDeps, 'webhooks' | 'issueWebhookSecret' | 'atomically' | 'now'>,
  client: Client,
): Promise<Output<'rotateWebhookSecret'>> {
  const webhook = await deps.webhooks.findOwned(client.organizationId, webhookId)
  if (!webhook) return { status: 404, body: unknownWebhook }
  const { secret, sealedSecret } = deps.issueWebhookSecret(webhookId)
  const oldSecretEndsAt = deps.now() + secretOverlapMs
  const event = { action: 'webhook.changed', ...describeWebhook(webhook, 'new secret') } as const
  const isRotated = await recordByClient(deps, client, event, {
    change: ({ webhooks }) => webhooks.rotateSecret(webhookId, sealedSecret, oldSecretEndsAt),
    isChange: done => done,
  })
  if (!isRotated) return { status: 404, body: unknownWebhook }
  const headers = { 'Cache-Control': 'no-store' }
  return { status: 200, headers, body: { id: webhookId, secret, oldSecretEndsAt: toTime(oldSecretEndsAt) } }
}
