import type { Response } from 'express'
import type { Route } from '../../generated/operations.ts'
import { type HttpError, toErrorBody } from './http-error.ts'

/** Sends the error body that the document specifies for the operation. */
export function sendError(res: Response, error: HttpError, route: Route | undefined): void {
  res.status(error.status).set(error.headers).json(toErrorBody(error, route))
}
