import { OperatorError } from '../base/operator-error.ts'
import { createId } from '../tenancy/id.ts'
import { type AllowedPrivate, judgeHost } from './allowed-private.ts'
import { createWebhookSecret } from './signing.ts'
import { type SecretBox, type Webhook, type WebhookEvent, webhookEvents } from './webhook.ts'
import { readWebhookUrl } from './webhook-url.ts'

type NewWebhook = Omit<Webhook, 'disabledAt' | 'oldSecretEndsAt'>

/** A secret, and what the store keeps of it. */
interface NewSecret {
  secret: string
  sealedSecret: Uint8Array
}

/**
 * Makes a webhook and its secret, which is shown once.
 *
 * @throws {OperatorError} if the address or an event cannot be used, naming it and the remedy.
 */
export function issueWebhook(
  { url, events, ...given }: Pick<Webhook, 'organizationId' | 'createdAt'> & { url: string; events: readonly string[] },
  { secrets, allowed }: { secrets: SecretBox; allowed: AllowedPrivate },
): { webhook: NewWebhook } & NewSecret {
  const fields = {
    ...given,
    url: readWebhookUrl(url, host => judgeHost(host, allowed)),
    events: readWebhookEvents(events),
  }
  const webhook = { id: createId('wh'), ...fields }
  return { webhook, ...issueSecret(webhook.id, secrets) }
}

/** Makes a secret for a webhook. */
export function issueSecret(webhookId: string, secrets: Pick<SecretBox, 'seal'>): NewSecret {
  const secret = createWebhookSecret()
  return { secret, sealedSecret: secrets.seal(webhookId, secret) }
}

/** @throws {OperatorError} if there is none, or one is unknown. */
function readWebhookEvents(names: readonly string[]): WebhookEvent[] {
  const unknown = names.find(name => !(webhookEvents as readonly string[]).includes(name))
  if (unknown !== undefined || names.length === 0) {
    const problem = unknown === undefined ? 'must not be empty' : `has ${JSON.stringify(unknown)}`
    throw new OperatorError(`events ${problem}. Choose from ${webhookEvents.join(', ')}.`, 2)
  }
  return webhookEvents.filter(event => names.includes(event))
}
