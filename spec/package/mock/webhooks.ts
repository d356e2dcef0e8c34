import type { ExtensionDeps } from '../../../server/operations/extensions/deps.ts'
import { type Delivery, type Webhook, webhookEvents } from '../../../server/webhooks/webhook.ts'
import { readWebhookUrl } from '../../../server/webhooks/webhook-url.ts'
import { pickDigits, pickInteger, type Random } from './random.ts'

/** How long a delivery is pending. */
const pendingMs = 1000

/** The webhook of the examples of the document. */
const example = {
  id: 'wh_4f1c9a0b2d3e5f60',
  url: 'https://hooks.example.com/quire',
  events: ['export.completed' as const, 'export.failed' as const],
}

/** What handlers use, and what they call in a transaction. None of it waits. */
export interface WebhookMemory
  extends Pick<ExtensionDeps, 'webhooks' | 'webhookDeliveries' | 'issueWebhook' | 'issueWebhookSecret'> {
  changes: {
    insert(webhook: Omit<Webhook, 'disabledAt' | 'oldSecretEndsAt'>): void
    delete(id: string): boolean
    rotateSecret(id: string): boolean
  }
}

/** Keeps webhooks and their deliveries in memory. Nothing is sent: each receiver seems to answer 204 after a second. */
export function createWebhookMemory(
  organizationId: string,
  { now, random }: { now: () => number; random: Random },
): WebhookMemory {
  const webhooks = new Map<string, Webhook>()
  /** The oldest first. */
  let deliveries: Delivery[] = []
  let sent = 0
  add({ ...example, organizationId, createdAt: now() })
  deliver(example.id, now() - pendingMs)

  function add(webhook: Omit<Webhook, 'disabledAt' | 'oldSecretEndsAt'>): void {
    webhooks.set(webhook.id, { ...webhook, disabledAt: null, oldSecretEndsAt: null })
  }

  function deliver(webhookId: string, createdAt: number): Delivery {
    sent += 1
    const delivery: Delivery = {
      id: `msg_${pickDigits(random, 16)}`,
      number: sent,
      webhookId,
      type: 'webhook.test',
      subject: `${webhookId} ${createdAt}`,
      status: 'pending',
      attempts: 0,
      createdAt,
      lastAttemptAt: null,
      nextAttemptAt: createdAt,
      responseStatus: null,
      error: null,
    }
    deliveries.push(delivery)
    return delivery
  }

  return {
    webhooks: {
      findOwned: (organization, id) => list(organization).find(webhook => webhook.id === id),
      list,
    },
    webhookDeliveries: {
      enqueueTest: deliver,
      list: (webhookId, { status, before = Number.POSITIVE_INFINITY, limit }) =>
        deliveries
          .filter(delivery => delivery.webhookId === webhookId && delivery.number < before)
          .map(delivery => play(delivery, now()))
          .filter(delivery => status === undefined || delivery.status === status)
          .reverse()
          .slice(0, limit),
    },
    ...createIssuer(random),
    changes: {
      insert: add,
      delete(id) {
        deliveries = deliveries.filter(({ webhookId }) => webhookId !== id)
        return webhooks.delete(id)
      },
      rotateSecret: id => webhooks.has(id),
    },
  }

  function list(organization: string | undefined): Webhook[] {
    return [...webhooks.values()].filter(webhook => webhook.organizationId === organization)
  }
}

/** Nothing is signed with the secrets, so they come from the seed, and the same requests get the same answers. */
function createIssuer(random: Random): Pick<ExtensionDeps, 'issueWebhook' | 'issueWebhookSecret'> {
  function issueWebhookSecret() {
    const bytes = Array.from({ length: 32 }, () => pickInteger(random, 0, 256))
    return { secret: `whsec_${btoa(String.fromCharCode(...bytes))}`, sealedSecret: new Uint8Array() }
  }
  return {
    issueWebhookSecret,
    issueWebhook({ url, events, ...given }) {
      const fields = {
        url: readWebhookUrl(url, judgeHost),
        events: webhookEvents.filter(event => events.includes(event)),
      }
      return { webhook: { ...given, id: `wh_${pickDigits(random, 16)}`, ...fields }, ...issueWebhookSecret() }
    },
  }
}

/** Returns a delivery as it is at a time. */
function play(delivery: Delivery, now: number): Delivery {
  const lastAttemptAt = delivery.createdAt + pendingMs
  if (now < lastAttemptAt) return delivery
  return { ...delivery, status: 'delivered', attempts: 1, lastAttemptAt, nextAttemptAt: null, responseStatus: 204 }
}

const localHost =
  /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$|^\[(::|f[cde])|(^|\.)localhost\.?$|^[^.:]*$/

/** Judges what is common. The server knows all ranges of addresses that are not public. */
function judgeHost({ hostname }: URL): 'local' | 'public' {
  return localHost.test(hostname) ? 'local' : 'public'
}
