import type { RequestHandler } from 'express'

/** Uses the X-Request-Id of the client if it is safe, otherwise a new one, and sends it with every response. */
export const assignRequestId: RequestHandler = (req, res, next) => {
  const requestId = safeRequestId(req.headers['x-request-id'])
  res.locals.requestId = requestId
  res.setHeader('X-Request-Id', requestId)
  next()
}

/** Ids that are safe in a log line. */
const safe = /^[A-Za-z0-9._-]{1,128}$/

/** Returns the given id if it is safe, otherwise a new one. */
export function safeRequestId(
  given: string | string[] | undefined,
  createId: () => string = () => crypto.randomUUID(),
): string {
  return typeof given === 'string' && safe.test(given) ? given : createId()
}
