import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { OperatorError } from '../../base/operator-error.ts'
import { relativePath } from '../../docs/relative-path.ts'
import { toHttpError } from '../../http/errors.ts'
import { dashboardPath, framePublicPage } from '../frame.ts'
import { PageNotFound } from '../page.ts'
import { html } from '../parts/html.ts'
import { errorTexts as texts } from '../texts/frame.ts'
import { sendHtml } from './send-page.ts'

/** Refuses requests for pages that do not exist. */
export const refuseUnknownPages: RequestHandler = () => {
  throw new PageNotFound()
}

/** Answers errors as pages for people. The details of a fault are only in the log. */
export function answerPageErrors(log: Logger): ErrorRequestHandler {
  return (thrown, _req, res, next) => {
    if (res.headersSent) return next(thrown)
    if (thrown instanceof PageNotFound) return sendProblem(res, 404, texts.notFound, texts.notFoundHint)
    if (thrown instanceof OperatorError) return sendProblem(res, 400, thrown.message)
    const { status, message, headers } = toHttpError(thrown)
    const { requestId } = res.locals
    if (status >= 500) log[status === 503 ? 'warn' : 'error']({ requestId, err: thrown }, 'page failed')
    res.set(headers)
    if (status === 500) return sendProblem(res, 500, texts.faultTitle, `${texts.faultHint} ${requestId}`)
    sendProblem(res, status, status === 413 ? texts.tooLarge : message)
  }
}

/** Answers a form that no page of this session sent. Nothing was changed. */
export function refuseForm(res: Response): void {
  sendProblem(res, 403, texts.forgedTitle, texts.forgedHint)
}

/** Answers a form that comes from another address than this server's. Nothing was changed. */
export function refuseForeignForm(res: Response): void {
  sendProblem(res, 403, texts.foreignTitle, texts.foreignHint, texts.foreignHintForOperators)
}

function sendProblem(res: Response, status: number, title: string, ...hints: string[]): void {
  const path = res.req.originalUrl.split('?', 1)[0] ?? ''
  const home = relativePath(path, `${dashboardPath}/`)
  const content = html`${hints.map(hint => html`<p>${hint}</p>`)}<p><a href="${home}">${texts.home}</a></p>`
  sendHtml(res, status, framePublicPage(path, title, content))
}
