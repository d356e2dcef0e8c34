import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

const secretPrefix = 'whsec_'

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export function createWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64')
}

export interface Message {
  id: string
  body: string
}

/**
 * Returns the headers that a receiver verifies.
 *
 * @param now milliseconds since 1970; the header has seconds
 * @param secrets each signs, so that a receiver may know only one of them
 */
export function signMessage({ id, body }: Message, now: number, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(secret => `v1,${sign(secret)}`).join(' '),
  }
}
