import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import { sendError } from './error-body.ts'
import type { GivenOperations } from './given-operations.ts'
import { toKnownError } from './http-error.ts'
import { type Admission, createOperationsApp, mountBoth, mountOperations } from './mount.ts'
import { findRepeated } from './request-form.ts'
import { assignRequestId } from './request-id.ts'
import { administration, createRouteTable, type RouteTable } from './routes.ts'
import { openValidator } from './validator.ts'

/** Options that can be left out if the handlers do not use what they give. */
type Given<Deps, Caller> = (undefined extends Deps ? { deps?: Deps } : { deps: Deps }) &
  (undefined extends Caller ? { admission?: Admission<Caller> } : { admission: Admission<Caller> })

export type MountOptions<Deps, Caller> = Given<Deps, Caller> & GivenOperations<Deps, Caller> & MountedIn

interface MountedIn {
  /** For development: an answer that the document does not allow becomes a 500, and `onError` gets the reason. */
  validateResponses?: boolean
  /**
   * What happens to paths that do not begin as those of the document: `pass` leaves them to later routes of the app, `refuse` answers
   * them with a 404 in JSON, as `createFetchHandler` does. Default: pass.
   */
  otherPaths?: 'pass' | 'refuse'
}

/**
 * Adds every operation of the document to an Express app, as the server of Quire does. A request is validated and gets the defaults
 * of the document before its handler sees it; one that breaks the contract, and an error that a handler throws, get the
 * documented error body. Every answer has an `X-Request-Id`.
 *
 * It also answers 405 for other methods, and 404 for unknown paths that begin as those of the document: `/v1/analytics`,
 * `/v1/static-export` and `/v2/agent`; with `extensions`, also `/quire/v1` and `/v1/agent`. Routes of the app that come before it
 * are not touched.
 *
 * Do not mount a body parser before it. `admission` decides who may call; without it, everybody may.
 */
export async function mount<Deps = undefined, Caller = undefined>(
  app: Express,
  options: MountOptions<Deps, Caller>,
): Promise<void> {
  const { document, handlers, etags = {}, validateResponses = false, bodyLimitBytes = 2 ** 20, onError } = options
  const { otherPaths = 'pass', extensions } = options
  const validator = await openValidator(document, { validateResponses })
  const mounted = { handlers, etags, ...readGiven(options), validator, bodyLimitBytes }
  const all = extensions ? createRouteTable([...administration.routes, ...extensions.routes]) : administration
  // An app inside the app, so that these settings change no other route.
  const operations = createOperationsApp()
  if (otherPaths === 'pass') operations.use(passOtherPaths(all))
  operations.use(assignRequestId)
  operations.use(refuseRepeated)
  if (extensions) {
    const table = createRouteTable(extensions.routes)
    const { handlers, document, routes } = extensions
    const validator = await openValidator(document, { validateResponses, routes })
    mountBoth(operations, mounted, { ...mounted, handlers, etags: {}, validator, table, all })
  } else mountOperations(operations, mounted)
  operations.use(({ method, url }) => {
    throw all.refuseUnknown(method, url)
  })
  operations.use(answerErrors(all, onError))
  app.use(operations)
}

/** The types of the options say that undefined is what the handlers expect. */
function readGiven<Deps, Caller>(options: { deps?: Deps; admission?: Admission<Caller> }) {
  const everybody: Admission<Caller> = { authorize: () => undefined as Caller }
  return { deps: options.deps as Deps, admission: options.admission ?? everybody }
}

function answerErrors(all: RouteTable, onError: MountOptions<undefined, undefined>['onError']): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const error = toKnownError(thrown)
    if (error.status >= 500) onError?.(thrown, res.locals.requestId)
    if (res.headersSent) return next(thrown)
    sendError(res, error, all.findRoute(req.method, req.url))
  }
}

/** `url` lacks the path that an app inside another one is mounted at. */
function passOtherPaths(all: RouteTable): RequestHandler {
  return ({ url }, _res, next) => next(all.isApiPath(url) ? undefined : 'router')
}

const refuseRepeated: RequestHandler = ({ rawHeaders }, _res, next) => next(findRepeated(rawHeaders))
