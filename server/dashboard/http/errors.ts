import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { OperatorError } from '../../base/operator-error.ts'
import { HttpError, toRequestError } from '../../http/http-error.ts'
import { framePublicPage } from '../frame.ts'
import { PageNotFound } from '../page.ts'
import { html } from '../parts/html.ts'
import { errorTexts } from '../texts/frame.ts'
import { sendHtml } from './send-page.ts'

/** Answers requests for pages that do not exist. */
export const answerUnknownPages: RequestHandler = (_req, res) => {
  sendProblem(res, 404, errorTexts.notFound, errorTexts.notFoundHint)
}

/** Answers errors as pages for people. The details of a fault are only in the log. */
export function answerPageErrors(log: Logger): ErrorRequestHandler {
  return (thrown, _req, res, next) => {
    if (res.headersSent) return next(thrown)
    if (thrown instanceof PageNotFound) return sendProblem(res, 404, errorTexts.notFound, errorTexts.notFoundHint)
    const error = thrown instanceof HttpError ? thrown : toRequestError(thrown)
    if (error) return sendProblem(res, error.status, error.message, errorTexts.notFoundHint)
    if (thrown instanceof OperatorError) return sendProblem(res, 400, thrown.message, errorTexts.forgedHint)
    const { requestId } = res.locals
    log.error({ requestId, err: thrown }, 'page failed')
    sendProblem(res, 500, errorTexts.faultTitle, `${errorTexts.faultHint} ${requestId}`)
  }
}

/** Answers a form that no page of this session sent. Nothing was changed. */
export function refuseForm(res: Response): void {
  sendProblem(res, 403, errorTexts.forgedTitle, errorTexts.forgedHint)
}

function sendProblem(res: Response, status: number, title: string, hint: string): void {
  const path = res.req.originalUrl.split('?', 1)[0] ?? ''
  sendHtml(res, status, framePublicPage(path, title, html`<p>${hint}</p>`))
}
