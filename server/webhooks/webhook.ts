import type { Awaitable } from '../base/awaitable.ts'
import type { Listed, ListPart } from '../tenancy/list-part.ts'

/** The events that a webhook can choose. */
export const webhookEvents = [
  'export.completed',
  'export.failed',
  'agent_job.updated',
  'visits.lagging',
  'key.expiring',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** What a delivery is about: an event, or a test. */
export type DeliveryType = WebhookEvent | 'webhook.test'

/** How long the old secret signs too after a rotation. */
export const secretOverlapMs = 24 * 60 * 60 * 1000

/** An address of a receiver, to which the events of an organization are sent. Its secret is known only encrypted, see `SecretBox`. */
export interface Webhook {
  id: string
  organizationId: string
  /** Absolute http(s) URL without credentials and fragment. */
  url: string
  /** In the order of `webhookEvents`. */
  events: WebhookEvent[]
  createdAt: number
  /** Null = enabled. A disabled webhook gets no new deliveries. */
  disabledAt: number | null
  /** Until when the secret before the last rotation signs too; null = it does not. */
  oldSecretEndsAt: number | null
}

/**
 * Encrypts the secrets of webhooks, and the signing keys and logins of sites, so that the database does not have them in clear. `id` names whose
 * it is.
 */
export interface SecretBox {
  seal(id: string, secret: string): Buffer
  /** @throws {OperatorError} if it was encrypted with a key that this machine does not have. */
  open(id: string, sealed: Uint8Array): string
}

export interface Webhooks {
  insert(webhook: Omit<Webhook, 'disabledAt' | 'oldSecretEndsAt'>, sealedSecret: Uint8Array): Awaitable<void>
  find(id: string): Awaitable<Webhook | undefined>
  /** Finds a webhook. Also returns undefined if it belongs to another organization. */
  findOwned(organizationId: string, id: string): Awaitable<Webhook | undefined>
  /** Lists the webhooks of an organization, or all, the oldest first. */
  list(organizationId?: string): Awaitable<Webhook[]>
  /** Lists webhooks whose address contains a text, the oldest first. */
  listPart(organizationId: string, part: ListPart): Awaitable<Listed<Webhook>>
  /** Deletes a webhook with its deliveries. Returns false if it does not exist. */
  delete(id: string): Awaitable<boolean>
  /** Replaces the secret. The present one signs too until `oldSecretEndsAt`. Returns false if the webhook does not exist. */
  rotateSecret(id: string, sealedSecret: Uint8Array, oldSecretEndsAt: number): Awaitable<boolean>
  /** Returns false if the webhook does not exist or was enabled. */
  enable(id: string): Awaitable<boolean>
  /** Disables a webhook, and gives up its pending deliveries with this error. Returns false if it was not enabled. */
  disable(id: string, error: string, now: number): Awaitable<boolean>
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

/** One event for one webhook. */
export interface Delivery {
  /** Also the header `webhook-id`, the same at each attempt. */
  id: string
  /** Grows with each delivery, so it is the cursor of a list. */
  number: number
  webhookId: string
  type: DeliveryType
  /** What the event is about: deliveries of one subject are sent in order. */
  subject: string
  status: DeliveryStatus
  attempts: number
  createdAt: number
  lastAttemptAt: number | null
  /** Null if it is not pending. */
  nextAttemptAt: number | null
  /** The HTTP status of the last answer; null = none. */
  responseStatus: number | null
  /** Why the last attempt failed: a sentence, without any text of the receiver. */
  error: string | null
}

/** The right to make the next attempt. It is void when its lease has expired and the delivery was claimed again. */
export interface ClaimedDelivery {
  delivery: Delivery
  body: string
  firstAttemptAt: number
  webhook: Webhook
  /** Encrypted; the present one first, and the old one while it signs too. */
  sealedSecrets: Uint8Array[]
}

/** How an attempt ended. */
export type AttemptResult = { responseStatus: number | null; error: string | null } & (
  | { status: 'delivered' | 'failed' }
  | { status: 'pending'; delayMs: number }
)

export interface WebhookDeliveries {
  /** Adds a test to the queue. Returns undefined if the webhook does not exist or is disabled. */
  enqueueTest(webhookId: string, now: number): Awaitable<Delivery | undefined>
  /** Adds `key.expiring` for each key that expires until then, once for each key and webhook. Returns how many were added. */
  enqueueExpiringKeys(now: number, until: number): Awaitable<number>
  /** Adds `visits.lagging` for a project, unless its webhooks were told since the last visit. Returns how many were added. */
  enqueueLagging(projectId: string, lastVisitAt: number, now: number): Awaitable<number>
  /** Lists the newest deliveries of a webhook first, those with a number below `before` if it is given. */
  list(
    webhookId: string,
    options: { status?: DeliveryStatus | undefined; before?: number | undefined; limit: number },
  ): Awaitable<Delivery[]>
  /**
   * Claims the delivery that is due first and has no earlier pending delivery of its subject. If the process dies, it is due again when
   * the lease has expired.
   *
   * @param busy ids of webhooks that get no further attempt now
   */
  claim(now: number, leaseMs: number, busy: readonly string[]): Awaitable<ClaimedDelivery | undefined>
  /** Stores how a claimed attempt ended. Returns false if the claim is void. */
  record(delivery: Pick<Delivery, 'number' | 'attempts'>, result: AttemptResult, now: number): Awaitable<boolean>
  /** Deletes at most `limit` ended deliveries that were created before then. Returns how many. */
  deleteEnded(createdBefore: number, limit: number): Awaitable<number>
}
