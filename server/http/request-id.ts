import type { RequestHandler } from 'express'

/**
 * Uses the X-Request-Id of the client if it is safe, otherwise a new one, and sends it with every response. Keeps the id of the trace
 * that the request belongs to, for the log.
 */
export const assignRequestId: RequestHandler = (req, res, next) => {
  const requestId = safeRequestId(req.headers['x-request-id'])
  res.locals.requestId = requestId
  res.locals.traceId = readTraceId(req.headers.traceparent)
  res.setHeader('X-Request-Id', requestId)
  next()
}

/** Reads the id of the trace from a `traceparent` header (W3C Trace Context, 3.2); undefined = there is none that is valid. */
export function readTraceId(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, parentId, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(header) ?? []
  const isValid = version !== 'ff' && traceId !== noTrace && parentId !== noParent && !(version === '00' && more)
  return isValid ? traceId : undefined
}

const noTrace = '0'.repeat(32)
const noParent = '0'.repeat(16)

/** Ids that are safe in a log line. */
const safe = /^[A-Za-z0-9._-]{1,128}$/

/** Returns the given id if it is safe, otherwise a new one. */
export function safeRequestId(
  given: string | string[] | undefined,
  createId: () => string = () => crypto.randomUUID(),
): string {
  return typeof given === 'string' && safe.test(given) ? given : createId()
}
