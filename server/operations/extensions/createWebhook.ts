import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { webhookEvents } from '../../webhooks/webhook.ts'
import type { Client } from '../client.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { describeWebhook, toWebhookBody } from './webhook-body.ts'

const maxWebhooks = 50

export async function createWebhook(
  { body }: Input<'createWebhook'>,
  deps: Pick<ExtensionDeps, 'webhooks' | 'issueWebhook' | 'atomically' | 'now'>,
  client: Client,
): Promise<Output<'createWebhook'>> {
  const { organizationId } = client
  const { url, events = webhookEvents } = body
  const { length } = await deps.webhooks.list(organizationId)
  if (length >= maxWebhooks) return { status: 409, body: tooMany }
  let issued: ReturnType<ExtensionDeps['issueWebhook']>
  try {
    issued = deps.issueWebhook({ organizationId, url, events, createdAt: deps.now() })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const details = [{ message: error.message, field: 'url', code: 'wrong_format' }]
    return { status: 400, body: { error: error.message, details, code: 'invalid_request' } }
  }
  const { webhook, secret, sealedSecret } = issued
  const event = { action: 'webhook.created', ...describeWebhook(webhook) } as const
  await recordByClient(deps, client, event, {
    change: ({ webhooks }) => webhooks.insert(webhook, sealedSecret),
    isChange: () => true,
  })
  return { status: 201, headers: { 'Cache-Control': 'no-store' }, body: { ...toWebhookBody(webhook), secret } }
}

const tooMany = {
  error: `This organization has ${maxWebhooks} webhooks, and can have ${maxWebhooks}. Delete one that is no longer needed.`,
  code: 'webhook_limit',
}
