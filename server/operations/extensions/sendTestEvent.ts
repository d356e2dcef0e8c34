import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import type { ExtensionDeps } from './deps.ts'
import { toDeliveryBody, unknownWebhook } from './webhook-body.ts'

export async function sendTestEvent(
  { params: { webhookId } }: Input<'sendTestEvent'>,
  { webhooks, webhookDeliveries, now }: Pick<ExtensionDeps, 'webhooks' | 'webhookDeliveries' | 'now'>,
  { organizationId }: Client,
): Promise<Output<'sendTestEvent'>> {
  if (!(await webhooks.findOwned(organizationId, webhookId))) return { status: 404, body: unknownWebhook }
  const delivery = await webhookDeliveries.enqueueTest(webhookId, now())
  return delivery ? { status: 202, body: toDeliveryBody(delivery) } : { status: 409, body: disabled }
}

const disabled = {
  error:
    'The webhook is disabled, because its receiver answered 410. Enable it with quire webhooks enable, or create another.',
  code: 'webhook_disabled',
}
