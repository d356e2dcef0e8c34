import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHandler } from 'express'
import { served } from './served-routes.ts'

/** Headers of answers that scripts of other origins may read, besides those that browsers always show. */
export const exposedHeaders = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Visitor-Totals',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ')

/** Headers of requests that scripts of other origins may set. `Prefer` holds the answer of a job, and chooses one of the mock. */
const requestHeaders = [
  'Authorization',
  'Cache-Control',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Prefer',
  'Range',
  'X-Request-Id',
].join(', ')

const maxAgeSeconds = 600

interface CorsDecision {
  /** Whether the request is a preflight of an allowed origin, which is answered 204 at once. */
  isPreflight: boolean
  /** To be sent with the answer, also with a refusal. */
  headers: Record<string, string>
}

/**
 * Chooses the headers of an answer for scripts of other origins (https://fetch.spec.whatwg.org/#http-cors-protocol). Credentials of
 * the browser are never allowed: the key is in a header that the script sets.
 */
export function decideCors(
  request: { method: string; target: string; headers: IncomingHttpHeaders },
  isAllowed: (origin: string) => boolean,
): CorsDecision {
  const { origin, 'access-control-request-method': wanted } = request.headers
  const vary = { Vary: 'Origin' }
  if (origin === undefined || !isAllowed(origin)) return { isPreflight: false, headers: vary }
  const headers = { ...vary, 'Access-Control-Allow-Origin': origin }
  if (request.method !== 'OPTIONS' || wanted === undefined) {
    return { isPreflight: false, headers: { ...headers, 'Access-Control-Expose-Headers': exposedHeaders } }
  }
  const operations = ['GET', 'PUT', 'POST', 'DELETE'].filter(method => served.findRoute(method, request.target))
  const preflight = {
    'Access-Control-Allow-Methods': operations.length > 0 ? operations.join(', ') : 'GET, HEAD',
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Max-Age': String(maxAgeSeconds),
  }
  return { isPreflight: true, headers: { ...headers, ...preflight } }
}

/** Answers preflights of these origins before the key is checked, and lets their scripts read the answers. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins)
  return (req, res, next) => {
    const { method, originalUrl: target, headers } = req
    const decision = decideCors({ method, target, headers }, origin => allowed.has(origin))
    res.set(decision.headers)
    if (!decision.isPreflight) return next()
    res.status(204).end()
  }
}
