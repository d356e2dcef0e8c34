import { createHash, timingSafeEqual } from 'node:crypto'
import type { LogSettings } from '../envelopes/log-settings.ts'

/** A request of a log drain. */
export interface DrainRequest {
  method: string
  /** By their names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  query: URLSearchParams
  /** The body as it was sent. */
  body: AsyncIterable<Uint8Array>
  /** Whether the sender was authenticated in another way, such as by an API key. Then no token is needed. */
  isAuthenticated?: boolean
}

/** The secrets that an operator configured for one receiver. */
export interface DrainSecrets {
  /** For all but Vercel: what the sender gives as `Authorization: Bearer`, in the header `X-Quire-Token`, or as `token` in the query. */
  token?: string
  /** Vercel: the secret that it signs with, and the code of the header `x-vercel-verify` that it shows when a drain is made. */
  vercelSecret?: string
  vercelCode?: string
}

/** Lines for a `VisitsReceiver`. Reading `body` throws a `DrainRefusedError` at its end when its signature is wrong. */
export interface DrainBatch {
  kind: 'batch'
  encoding: string | undefined
  settings: LogSettings
  body: AsyncIterable<Uint8Array>
  /** Headers that the answer must have. */
  headers: Record<string, string>
}

export type DrainReading =
  | DrainBatch
  /** The sender only checks the receiver. */
  | { kind: 'answer'; status: 200; headers: Record<string, string>; body: string }
  | { kind: 'refused'; status: 401 | 403 | 405 | 415; headers: Record<string, string>; error: string }

/** A body whose signature is wrong. */
export class DrainRefusedError extends Error {
  readonly status = 403
}

/** Reads a POST with a token. The format is detected, unless the drain has only one. */
export function readTokenDrain(request: DrainRequest, { token }: DrainSecrets, settings: LogSettings): DrainReading {
  if (request.method !== 'POST') return refuseMethod(request.method)
  if (!request.isAuthenticated && !hasToken(request, token)) {
    return {
      kind: 'refused',
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      error:
        'The token is missing or wrong. Send it as "Authorization: Bearer TOKEN", in the header X-Quire-Token, or as ?token=TOKEN in the address.',
    }
  }
  return { kind: 'batch', encoding: readHeader(request, 'content-encoding'), settings, body: request.body, headers: {} }
}

/** Refuses a method that logs are not sent with. */
export function refuseMethod(method: string): DrainReading {
  return { kind: 'refused', status: 405, headers: { Allow: 'POST' }, error: `Logs are sent with POST, not ${method}.` }
}

/** Returns a header; undefined when it is missing or repeated. */
export function readHeader({ headers }: DrainRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

function hasToken(request: DrainRequest, token: string | undefined): boolean {
  if (token === undefined || token === '') return false
  const bearer = /^Bearer +(\S+)$/i.exec(readHeader(request, 'authorization') ?? '')?.[1]
  const given = bearer ?? readHeader(request, 'x-quire-token') ?? request.query.get('token')
  return given !== null && isSame(given, token)
}

/** Compares a secret in a time that depends on neither. */
export function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
