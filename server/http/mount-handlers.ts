import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Handlers } from '../../generated/operations.ts'
import type { FindETags } from './find-etags.ts'
import { HttpError, serverFault, toRequestError } from './http-error.ts'
import { sendJson } from './json.ts'
import { type Admission, mountOperations } from './mount.ts'
import { assignRequestId } from './request-id.ts'
import { findRoute } from './routes.ts'
import { sendError } from './send-error.ts'
import { openValidator } from './validator.ts'

/** Options that can be left out if the handlers do not use what they give. */
type Given<Deps, Caller> = (undefined extends Deps ? { deps?: Deps } : { deps: Deps }) &
  (undefined extends Caller ? { admission?: Admission<Caller> } : { admission: Admission<Caller> })

export type MountOptions<Deps, Caller> = Given<Deps, Caller> & {
  /** The OpenAPI document: quire-spec/openapi.json, parsed. */
  document: object
  /** One handler for each operation. */
  handlers: Handlers<Deps, Caller>
  /** The ETags of operations that can answer 304. */
  etags?: FindETags<Deps, Caller>
  /** For development: an answer that the document does not allow becomes a 500, and `onError` gets the reason. */
  validateResponses?: boolean
  /** The largest request body. Default: 1 MiB. */
  bodyLimitBytes?: number
  /** Called with each error that is answered with a status of 500 or more. */
  onError?: (error: unknown, requestId: string) => void
}

/**
 * Adds every operation of the document to an Express app, as the server of Quire does. A request is validated and gets the defaults
 * of the document before its handler sees it; one that breaks the contract, and an error that a handler throws, get the
 * documented error body. Every answer has an `X-Request-Id`.
 *
 * Do not mount a body parser before it. `admission` decides who may call; without it, everybody may.
 */
export async function mount<Deps = undefined, Caller = undefined>(
  app: Express,
  options: MountOptions<Deps, Caller>,
): Promise<void> {
  const { document, handlers, etags = {}, validateResponses = false, bodyLimitBytes = 2 ** 20, onError } = options
  const validator = await openValidator(document, { validateResponses })
  // An app inside the app, so that these settings change no other route.
  const operations = express()
  operations.disable('x-powered-by')
  operations.disable('etag')
  operations.enable('case sensitive routing')
  operations.set('query parser', 'simple')
  operations.response.json = sendJson
  operations.use(assignRequestId)
  mountOperations(operations, { handlers, etags, ...readGiven(options), validator, bodyLimitBytes })
  operations.use(answerErrors(onError))
  app.use(operations)
}

/** The types of the options say that undefined is what the handlers expect. */
function readGiven<Deps, Caller>(options: { deps?: Deps; admission?: Admission<Caller> }) {
  const everybody: Admission<Caller> = { authorize: () => undefined as Caller }
  return { deps: options.deps as Deps, admission: options.admission ?? everybody }
}

function answerErrors(onError: MountOptions<undefined, undefined>['onError']): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const error = thrown instanceof HttpError ? thrown : (toRequestError(thrown) ?? new HttpError(500, serverFault))
    if (error.status >= 500) onError?.(thrown, res.locals.requestId)
    const route = findRoute(req.method, req.originalUrl)
    // Other routes of the app have their own errors.
    if (res.headersSent || !route) return next(thrown)
    sendError(res, error, route)
  }
}
