import { type ClaimLoop, startClaiming } from '../base/claim-loop.ts'
import { type SendDeps, sendDelivery } from './send-delivery.ts'
import type { ClaimedDelivery, WebhookDeliveries, Webhooks } from './webhook.ts'

export interface DelivererDeps extends SendDeps {
  webhooks: Pick<Webhooks, 'disable'>
  webhookDeliveries: Pick<WebhookDeliveries, 'claim' | 'record'>
  /** How long an attempt of a killed server holds its delivery; longer than `timeoutMs`. */
  leaseMs: number
  log: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>
}

/** For deliveries of other processes, and for retries. An idle poll reads one entry of an index. */
const pollMs = 2000
const maxAttempts = 16
/** A slow receiver leaves room for others. */
const maxAttemptsOfOne = 4
/** Attempts that are running when the server stops may end within this time. */
const stopGraceMs = 2000

/** The time of an attempt, and how long a killed server holds a delivery. */
export const deliveryTimes = { timeoutMs: 15_000, leaseMs: 60_000 }

export type Deliverer = ClaimLoop

/** Starts the loop that claims deliveries and sends them, several at once. */
export function startDeliverer(deps: DelivererDeps): Deliverer {
  const { webhookDeliveries, leaseMs, now, log } = deps
  const aborting = new AbortController()
  const loop = startClaiming<ClaimedDelivery>({
    async claim(running) {
      if (running.length >= maxAttempts) return undefined
      const ids = running.map(({ webhook }) => webhook.id)
      const busy = [...new Set(ids)].filter(id => ids.filter(other => other === id).length >= maxAttemptsOfOne)
      return webhookDeliveries.claim(now(), leaseMs, busy)
    },
    run: claimed =>
      attempt(deps, claimed, aborting.signal).catch(error =>
        log.error({ err: error, deliveryId: claimed.delivery.id }, 'a webhook delivery failed; it is tried again'),
      ),
    onError: error => log.error({ err: error }, 'webhook deliveries cannot be read; the next try is in 2 s'),
    pollMs,
  })
  return {
    wake: loop.wake,
    async stop() {
      const timer = setTimeout(() => aborting.abort(), stopGraceMs)
      await loop.stop()
      clearTimeout(timer)
    },
  }
}

/** Makes an attempt and stores how it ended. */
async function attempt(deps: DelivererDeps, claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const { webhooks, webhookDeliveries, now, log } = deps
  const { delivery, webhook } = claimed
  const about = { webhookId: webhook.id, deliveryId: delivery.id, type: delivery.type }
  const { result, isGone, fault } = await sendDelivery(deps, claimed, signal)
  if (fault !== undefined) log.error({ ...about, err: fault }, 'a webhook delivery failed on this machine')
  await webhookDeliveries.record(delivery, result, now())
  if (isGone) {
    const remedy = `Enable it with: npx quire webhooks enable ${webhook.id}`
    const why = `The webhook was disabled, because its receiver answered 410. ${remedy}`
    if (await webhooks.disable(webhook.id, why, now()))
      log.warn(about, 'a receiver answered 410: its webhook is disabled')
  } else if (result.status === 'failed') {
    log.warn({ ...about, attempts: delivery.attempts, error: result.error }, 'a webhook delivery is given up')
  }
}
