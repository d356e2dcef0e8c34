import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import type { ExtensionDeps } from './deps.ts'
import { toWebhookBody } from './webhook-body.ts'

export async function listWebhooks(
  _input: Input<'listWebhooks'>,
  { webhooks }: Pick<ExtensionDeps, 'webhooks'>,
  { organizationId }: Client,
): Promise<Output<'listWebhooks'>> {
  return { status: 200, body: { webhooks: (await webhooks.list(organizationId)).map(toWebhookBody) } }
}
