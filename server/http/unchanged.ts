import type { Request, RequestHandler, Response } from 'express'
import type { Route } from '../../generated/operations.ts'

interface AnswerUnchangedOptions {
  /** Whether the request follows the document. */
  isValid(req: Request, res: Response): Promise<boolean>
  /** Returns the ETag that a 200 has now; undefined if the answer is another one. */
  findETag(req: Request, res: Response): Promise<string | undefined>
}

/**
 * Answers 304 if If-None-Match names the current answer (RFC 9110, 13.1.2). Runs after the key was checked and before the
 * rate limit: such an answer is free, so it must be cheap. Other requests, also invalid ones, go on as without the header.
 */
export function answerUnchanged(route: Route, { isValid, findETag }: AnswerUnchangedOptions): RequestHandler {
  return async (req, res, next) => {
    if (req.headers['if-none-match'] === undefined || !(await isValid(req, res))) return next()
    const etag = await findETag(req, res)
    if (etag === undefined) return next()
    res.set('ETag', etag)
    if (!req.fresh) {
      res.removeHeader('ETag')
      return next()
    }
    allowReuse(route, res)
    res.status(304).end()
  }
}

/** Lets browsers keep an answer with an ETag; they ask with If-None-Match before they use it again. Other caches may not keep it. */
export function allowReuse({ mediaTypes }: Route, res: Response): void {
  res.set('Cache-Control', 'private, no-cache')
  if (mediaTypes.length > 1) res.vary('Accept')
}
