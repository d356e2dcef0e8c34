import type { ServerResponse } from 'node:http'
import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { Route } from '../../generated/operations.ts'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import { diskFull, isDiskFull } from '../base/disk-full.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import { findRoute } from './routes.ts'

/** An expected error; its message is sent to the client unchanged. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  /** One sentence per field if several are invalid. */
  readonly details: string[]
  constructor(status: number, message: string, headers: Record<string, string> = {}, details: string[] = [message]) {
    super(message)
    this.status = status
    this.headers = headers
    this.details = details
  }
}

const serverFault =
  'Internal server error. Try again later, or quote the X-Request-Id of this answer to the operator of the server.'

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
    const route = findRoute(req.method, req.originalUrl)
    sendError(res, error, route)
  }
}

/** Answers requests whose path or method is not in the document. */
export const answerUnknownPaths: RequestHandler = (req, res) => {
  const methods = ['GET', 'POST'].filter(method => findRoute(method, req.originalUrl))
  const error =
    methods.length > 0 && !methods.includes(req.method)
      ? new HttpError(405, `This path accepts only ${methods.join(' and ')}.`, { Allow: methods.join(', ') })
      : new HttpError(404, 'There is nothing at this path. Compare it with the API reference.')
  sendError(res, error, undefined)
}

/** Answers a request that has not ended when the server ends. */
export function answerLate(res: ServerResponse): void {
  const { req } = res
  const error = new HttpError(503, 'The server is shutting down. Send the request again.', { 'Retry-After': '5' })
  sendError(res as Response, error, findRoute(req.method ?? '', req.url ?? ''))
}

function sendError(res: Response, error: HttpError, route: Route | undefined): void {
  const body =
    route?.errorShape === 'error-with-details'
      ? { error: error.message, details: error.details.map(message => ({ message })) }
      : { error: error.message }
  res.status(error.status).set(error.headers).json(body)
}

function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown
  if (thrown instanceof URIError) {
    return new HttpError(400, 'The path contains an invalid percent escape. Write a percent sign as %25.')
  }
  if (thrown instanceof UnusableVisitsError) return new HttpError(500, visitsFault)
  const unavailable = unavailableErrors(thrown)
  if (unavailable) return unavailable
  const { type, code } = thrown as { type?: string; code?: string }
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ZSTD_)/.test(code ?? '')) {
    return new HttpError(400, 'The request body does not match its Content-Encoding.')
  }
  return bodyErrors(type) ?? new HttpError(500, serverFault)
}

/** Converts errors that pass: a lock of another process, or a full disk. */
function unavailableErrors(thrown: unknown): HttpError | undefined {
  if (isDiskFull(thrown)) {
    const message = `${diskFull} Nothing was changed. Tell the operator of the server, or try again later.`
    return new HttpError(503, message, { 'Retry-After': '60' })
  }
  if (!(thrown instanceof UnavailableError)) return undefined
  const message =
    'The database of the server is locked by another process. Nothing was changed. Try again in 5 seconds.'
  return new HttpError(503, message, { 'Retry-After': '5' })
}

/** Converts errors of express.json; the readme of body-parser lists their types. */
function bodyErrors(type: string | undefined): HttpError | undefined {
  switch (type) {
    case 'entity.parse.failed':
      return new HttpError(400, 'The request body is not valid JSON.')
    case 'entity.verify.failed':
    case 'request.aborted':
    case 'request.size.invalid':
      return new HttpError(400, 'The request body does not have the announced length. Check Content-Length.')
    case 'entity.too.large':
      return new HttpError(413, 'The request body is too large. Name fewer paths in one export.')
    case 'encoding.unsupported':
      return new HttpError(
        415,
        'The Content-Encoding of the request body is not supported. Send it without one, or as gzip.',
      )
    case 'charset.unsupported':
      return new HttpError(415, 'The request body must be UTF-8.')
    default:
      return undefined
  }
}
