import type { Response } from 'express'
import { type ErrorCode, errorCauses } from '../../generated/error-codes.ts'
import type { AnyRoute as Route } from '../../generated/operations.ts'
import type { Fault, HttpError } from './http-error.ts'
import { chooseMediaType } from './media-type.ts'

/** The body of an error, without what depends on the request. */
export interface ErrorBody {
  error: string
  details?: readonly Fault[]
  code?: string
}

/** Returns the error body that the document specifies for the operation. */
export function toErrorBody({ message, faults, code }: HttpError, route: Route | undefined): ErrorBody {
  const details = faults ?? (route?.errorShape === 'error-with-details' ? [{ message }] : undefined)
  return { error: message, ...(details && { details }), code }
}

export const problemJson = 'application/problem+json'

/** Whether a client prefers errors in the form of RFC 9457. */
export function prefersProblem(accept: string | undefined): boolean {
  return (
    accept?.includes('problem') === true && chooseMediaType(accept, ['application/json', problemJson]) === problemJson
  )
}

/** Adds the request id, and writes an error in the form of RFC 9457 if the client prefers it. */
export function finishError(
  status: number,
  { error, details, code, ...body }: ErrorBody,
  { requestId, isProblem }: { requestId: string; isProblem: boolean },
): object {
  if (!isProblem) return { error, ...(details && { details }), ...body, ...(code !== undefined && { code }), requestId }
  const known: ErrorCode =
    code !== undefined && Object.hasOwn(errorCauses, code) ? (code as ErrorCode) : 'internal_error'
  return {
    type: code === undefined ? 'about:blank' : `/docs/errors#${code}`,
    title: code === undefined ? 'Error' : errorCauses[known],
    status,
    detail: error,
    code,
    requestId,
    ...(code === 'invalid_request' && {
      errors: details?.map(({ message, ...rest }) => ({ detail: message, ...rest })),
    }),
  }
}

/** Sends the error body that the document specifies for the operation. */
export function sendError(res: Response, error: HttpError, route: Route | undefined): void {
  res.set(error.headers)
  sendErrorBody(res, error.status, toErrorBody(error, route))
}

/** Sends an error, whose body a handler may have made. */
export function sendErrorBody(res: Response, status: number, body: ErrorBody): void {
  const isProblem = prefersProblem(res.req.headers.accept)
  const finished = finishError(status, body, { requestId: res.locals?.requestId, isProblem })
  res.locals.errorCode = body.code
  res.status(status)
  if (isProblem) res.setHeader('Content-Type', problemJson)
  res.json(finished)
}
