import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { bundlesPath } from '../export/jobs/bundle-link.ts'

const maxPathCharacters = 256

/** Logs one line per request when the response or the connection ends; never a query, a header or a bundle link. */
export function logRequests(log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const line = {
        requestId: res.locals.requestId,
        method: req.method,
        path: loggedPath(req.originalUrl),
        operationId: res.locals.operationId,
        status: res.writableFinished ? res.statusCode : 499,
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        organizationId: res.locals.caller?.organizationId,
        keyId: res.locals.caller?.keyId,
      }
      log.info(line, 'request')
    })
    next()
  }
}

function loggedPath(requestTarget: string): string {
  const path = requestTarget.split('?', 1)[0] ?? ''
  if (path.startsWith(`${bundlesPath}/`)) return `${bundlesPath}/...`
  return path.length > maxPathCharacters ? `${path.slice(0, maxPathCharacters)}...` : path
}
