import type { LookupFunction } from 'node:net'
import { OperatorError } from '../base/operator-error.ts'
import { FetchError } from '../web/fetch/fetch-error.ts'
import { post } from '../web/fetch/post.ts'
import { type AllowedPrivate, judgeHost } from './allowed-private.ts'
import { signMessage } from './signing.ts'
import type { AttemptResult, ClaimedDelivery, SecretBox } from './webhook.ts'

const minute = 60_000
const hour = 60 * minute
/** The waits after the first attempts. All further waits are as the last. */
const waitsMs = [5000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour]
/** Counted from the first attempt, so that a delivery that waited for an earlier one has as much time. */
const giveUpAfterMs = 72 * hour
const maxRetryAfterMs = 24 * hour
const gone = 410

export interface SendDeps {
  secrets: Pick<SecretBox, 'open'>
  allowed: AllowedPrivate
  timeoutMs: number
  now(): number
  /** From 0 to 1. */
  random(): number
  /** For tests: how names are resolved. */
  lookup?: LookupFunction
}

export interface Attempt {
  result: AttemptResult
  /** Whether the receiver wants no more deliveries. */
  isGone?: boolean
  /** An error of this machine, for its log. */
  fault?: unknown
}

/** Makes an attempt, and says how it ended. */
export async function sendDelivery(deps: SendDeps, claimed: ClaimedDelivery, signal: AbortSignal): Promise<Attempt> {
  const url = new URL(claimed.webhook.url)
  try {
    const { status, retryAfterMs } = await send(deps, claimed, url, signal)
    if (status >= 200 && status < 300) {
      return { result: { status: 'delivered', responseStatus: status, error: null } }
    }
    if (status === gone) {
      const error = 'The receiver answered 410, so the webhook is disabled.'
      return { result: { status: 'failed', responseStatus: status, error }, isGone: true }
    }
    const error = status >= 300 && status < 400 ? redirectError(status) : `The receiver answered ${status}.`
    return { result: planRetry(deps, claimed, { responseStatus: status, error }, retryAfterMs) }
  } catch (error) {
    if (signal.aborted) return { result: { ...unanswered(interrupted), status: 'pending', delayMs: 0 } }
    const sentence = explain(error)
    const result = planRetry(deps, claimed, unanswered(sentence ?? atFault), null)
    return { result, ...(sentence === undefined && { fault: error }) }
  }
}

const atFault = 'The attempt failed on this machine. See the log of the server.'
const interrupted = 'The server stopped during the attempt.'
const unanswered = (error: string) => ({ responseStatus: null, error })
const redirectError = (status: number) =>
  `The receiver answered ${status}, and redirects are not followed. Give the webhook the final address.`

function send(
  deps: SendDeps,
  { delivery, body, webhook, sealedSecrets }: ClaimedDelivery,
  url: URL,
  signal: AbortSignal,
) {
  const { allowed, timeoutMs, now, lookup } = deps
  const isExempt = judgeHost(url, allowed) === 'allowed'
  // The setting may have changed since the webhook was created.
  if (url.protocol === 'http:' && !isExempt) {
    throw new OperatorError('The server allows http:// only for the hosts of --webhook-allow-private.')
  }
  const secrets = openSecrets(deps, webhook.id, sealedSecrets)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'QuireWebhooks/1.0',
    ...signMessage({ id: delivery.id, body }, now(), secrets),
  }
  const guard = { isExempt, ranges: allowed.ranges, ...(lookup && { lookup }) }
  return post(url, { headers, body }, { timeoutMs, signal, maxRetryAfterMs, ...guard })
}

/** A lost key of the old secret must not keep the present one from signing. */
function openSecrets({ secrets }: SendDeps, webhookId: string, [present, ...old]: readonly Uint8Array[]): string[] {
  const openOld = (sealed: Uint8Array) => {
    try {
      return [secrets.open(webhookId, sealed)]
    } catch {
      return []
    }
  }
  return [secrets.open(webhookId, present as Uint8Array), ...old.flatMap(openOld)]
}

/** Only messages of our own are shown. Returns undefined for others. */
function explain(error: unknown): string | undefined {
  if (error instanceof FetchError) return `The request failed: ${error.message}.`
  return error instanceof OperatorError ? error.message : undefined
}

/** Returns the next attempt, or that there is none any more. */
export function planRetry(
  { now, random }: Pick<SendDeps, 'now' | 'random'>,
  { delivery, firstAttemptAt }: Pick<ClaimedDelivery, 'firstAttemptAt'> & { delivery: { attempts: number } },
  failure: { responseStatus: number | null; error: string },
  retryAfterMs: number | null,
): AttemptResult {
  const leftMs = firstAttemptAt + giveUpAfterMs - now()
  if (leftMs <= 0) return { ...failure, status: 'failed' }
  const waitMs = waitsMs[Math.min(delivery.attempts, waitsMs.length) - 1] as number
  // A fifth is random, so that deliveries that failed together are not sent together again.
  const delayMs = Math.max(retryAfterMs ?? waitMs, waitsMs[0] as number) * (0.9 + random() / 5)
  // The last attempt is made when the time is over.
  return { ...failure, status: 'pending', delayMs: Math.min(delayMs, leftMs) }
}
