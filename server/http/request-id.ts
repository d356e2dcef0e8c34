import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'

/** Ids of clients that can stand in a log line as they are. */
const sane = /^[A-Za-z0-9._-]{1,128}$/

/** Takes the client's X-Request-Id when it is sane, makes one otherwise, and returns it with every answer. */
export const assignRequestId: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id']
  const requestId = typeof given === 'string' && sane.test(given) ? given : randomUUID()
  res.locals.requestId = requestId
  res.setHeader('X-Request-Id', requestId)
  next()
}
