import type { components } from '../../../generated/extensions/openapi.ts'
import type { Delivery, Webhook } from '../../webhooks/webhook.ts'

type Schemas = components['schemas']

export function toWebhookBody({ id, url, events, createdAt, ...webhook }: ShownWebhook): Schemas['Webhook'] {
  return { id, url, events, createdAt: toTime(createdAt), disabledAt: toTimeOrNull(webhook.disabledAt ?? null) }
}

type ShownWebhook = Pick<Webhook, 'id' | 'url' | 'events' | 'createdAt'> & Partial<Pick<Webhook, 'disabledAt'>>

export function toDeliveryBody(delivery: Delivery): Schemas['Delivery'] {
  const { id, type, subject, status, attempts, createdAt, lastAttemptAt, nextAttemptAt, responseStatus, error } =
    delivery
  return {
    id,
    type,
    subject,
    status,
    attempts,
    createdAt: toTime(createdAt),
    lastAttemptAt: toTimeOrNull(lastAttemptAt),
    nextAttemptAt: toTimeOrNull(nextAttemptAt),
    responseStatus,
    error,
  }
}

export function toTime(at: number): string {
  return new Date(at).toISOString()
}

function toTimeOrNull(at: number | null): string | null {
  return at === null ? null : toTime(at)
}

/** Subject and detail of the audit events of a webhook. The path of its address may be a secret of the receiver. */
export function describeWebhook({ id, url }: Pick<Webhook, 'id' | 'url'>, what?: string) {
  return { subject: id, detail: [new URL(url).host, what].filter(Boolean).join(', ') }
}

export const unknownWebhook = {
  error: 'This organization has no webhook with the id in the path.',
  code: 'unknown_webhook',
}
