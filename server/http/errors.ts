import type { ServerResponse } from 'node:http'
import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { SignatureError } from '../analytics/drains/vercel.ts'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import { diskFull, isDiskFull } from '../base/disk-full.ts'
import { UnavailableError, type UnavailableReason } from '../base/unavailable-error.ts'
import { sendError } from './error-body.ts'
import { HttpError, toKnownError } from './http-error.ts'
import { served } from './served-routes.ts'

const visitsFault =
  'The visits of this project are missing or damaged on the disk of the server. Quote the X-Request-Id of this answer to the operator of the server.'

/** Answers errors with the error body that the document specifies for the operation. */
export function answerErrors(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const error = toHttpError(thrown)
    // A request in another version of HTTP is a fault of the client.
    if (error.status >= 500 && error.status !== 505) {
      log[error.status === 503 ? 'warn' : 'error'](
        { requestId: res.locals.requestId, operationId: res.locals.operationId, err: thrown },
        'request failed',
      )
    }
    if (res.headersSent) return next(thrown)
    const route = served.findRoute(req.method, req.originalUrl)
    sendError(res, error, route)
  }
}

/** Answers requests whose path or method is not in the document. */
export const answerUnknownPaths: RequestHandler = (req, res) => {
  sendError(res, served.refuseUnknown(req.method, req.originalUrl), undefined)
}

/** Answers a request that has not ended when the server ends. */
export function answerLate(res: ServerResponse): void {
  const { req } = res
  const error = new HttpError(503, 'shutting_down', 'The server is shutting down. Send the request again.', {
    'Retry-After': '5',
  })
  sendError(res as Response, error, served.findRoute(req.method ?? '', req.url ?? ''))
}

/** Like `toKnownError`, with the errors of the store and of the senders of visits. */
export function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown
  if (thrown instanceof SignatureError) return new HttpError(403, 'invalid_signature', thrown.message)
  if (thrown instanceof UnusableVisitsError) return new HttpError(500, 'visits_damaged', visitsFault)
  return unavailableErrors(thrown) ?? toKnownError(thrown)
}

/** Converts errors that pass: a lock of another process, a full disk, or a database or storage that does not answer. */
function unavailableErrors(thrown: unknown): HttpError | undefined {
  if (isDiskFull(thrown)) {
    const message = `${diskFull} Nothing was changed. Tell the operator of the server, or try again later.`
    return new HttpError(503, 'disk_full', message, { 'Retry-After': '60' })
  }
  if (!(thrown instanceof UnavailableError)) return undefined
  if (thrown.reason === 'storage') {
    const message = 'The storage of the bundles cannot be reached. Nothing was lost. Try again in 10 seconds.'
    return new HttpError(503, 'storage_unavailable', message, { 'Retry-After': '10' })
  }
  if (thrown.reason === 'busy') {
    const message = 'Too many batches wait to be counted. Nothing was changed. Try again in 5 seconds.'
    return new HttpError(503, 'receiver_busy', message, { 'Retry-After': '5' })
  }
  const problems: Partial<Record<UnavailableReason, string>> = {
    unreachable: 'cannot be reached',
    'read-only': 'is read-only',
  }
  const problem = problems[thrown.reason] ?? 'is locked by another process'
  const message = `The database of the server ${problem}. Nothing was changed. Try again in 5 seconds.`
  return new HttpError(503, 'database_unavailable', message, { 'Retry-After': '5' })
}
