import { createHash } from 'node:crypto'
import type { Awaitable } from '../../base/awaitable.ts'
import type { LogSettings } from '../envelopes/log-settings.ts'
import { type DrainReading, type DrainRequest, type DrainSecrets, readHeader, readTokenDrain } from './drain.ts'
import { readVercelDrain } from './vercel.ts'

/** Returns what a request of a drain is: a check of the receiver, lines, or neither. */
export type ReadDrain = (request: DrainRequest, secrets: DrainSecrets) => Awaitable<DrainReading>

function withToken(settings: LogSettings): ReadDrain {
  return (request, secrets) => readTokenDrain(request, secrets, settings)
}

function readOtlpDrain(request: DrainRequest, secrets: DrainSecrets): DrainReading {
  const reading = readTokenDrain(request, secrets, {})
  if (reading.kind !== 'batch' || !/protobuf/i.test(readHeader(request, 'content-type') ?? '')) return reading
  const error =
    'OTLP must be sent as JSON. In the OpenTelemetry Collector, set "encoding: json" of the exporter otlphttp.'
  return { kind: 'refused', status: 415, headers: {}, error }
}

/**
 * The log drains of other services, by name.
 *
 * - `netlify`: the address has the token, because Netlify sends no headers. https://docs.netlify.com/manage/monitoring/log-drains/
 * - `cloudflare`: Logpush sends gzip, and headers that the address names by `header_NAME=VALUE`.
 *   https://developers.cloudflare.com/logs/logpush/logpush-job/enable-destinations/http/
 * - `fastly`: its HTTPS endpoint, with any format of lines or of JSON. See `answerFastlyChallenge`.
 * - `collector`: Fluent Bit, Fluentd, Vector and others, with the lines as they are or in records.
 * - `otlp`: OTLP in JSON. https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export const drains = {
  vercel: readVercelDrain,
  netlify: withToken({ format: 'netlify', envelope: 'none' }),
  cloudflare: withToken({ format: 'cloudflare', envelope: 'none' }),
  fastly: withToken({}),
  collector: withToken({}),
  otlp: readOtlpDrain,
} as const satisfies Record<string, ReadDrain>

export type DrainName = keyof typeof drains

/**
 * Returns the text for `GET /.well-known/fastly/logging/challenge`, with which Fastly checks that its logs may be sent to this host.
 * https://www.fastly.com/documentation/guides/integrations/logging-endpoints/log-streaming-https
 *
 * @param serviceIds the ids of the services that may send; `*` = each
 */
export function answerFastlyChallenge(serviceIds: readonly string[]): string {
  const lines = serviceIds.map(id => (id === '*' ? '*' : createHash('sha256').update(id).digest('hex')))
  return `${lines.join('\n')}\n`
}

/**
 * Returns the answer that OTLP expects: lines that cannot be read were rejected, and must not be sent again.
 * https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
export function toOtlpAnswer(unreadable: readonly { reason: string; count: number }[]): object {
  const rejected = unreadable.reduce((total, { count }) => total + count, 0)
  if (rejected === 0) return {}
  const errorMessage = `Unreadable: ${unreadable.map(({ reason, count }) => `${reason} ${count}`).join(', ')}.`
  return { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage } }
}
