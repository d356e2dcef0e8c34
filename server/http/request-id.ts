import type { RequestHandler } from 'express'
import { safeRequestId } from './safe-request-id.ts'

/** Uses the X-Request-Id of the client if it is safe, otherwise a new one, and sends it with every response. */
export const assignRequestId: RequestHandler = (req, res, next) => {
  const requestId = safeRequestId(req.headers['x-request-id'])
  res.locals.requestId = requestId
  res.setHeader('X-Request-Id', requestId)
  next()
}
