import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import { type Handlers, type Input, type OperationId, type Route, routes } from '../../generated/operations.ts'
import { readBody } from './body.ts'
import type { FindETags } from './find-etags.ts'
import { chooseMediaType } from './media-type.ts'
import { sendParts } from './parts.ts'
import { findRoute, toExpressPath } from './routes.ts'
import { allowReuse, answerUnchanged } from './unchanged.ts'
import type { Validator } from './validator.ts'

/** Decides who may call an operation. Only the headers of the request have been read. */
export interface Admission<Caller> {
  /** Returns the caller, which the handler gets. Throws `HttpError` to refuse the request, such as 401 and 403. */
  authorize(route: Route, req: Request, res: Response): Promise<Caller> | Caller
  /** Counts the request against a limit. Throws `HttpError` to refuse it: 429. Not called for a 304. */
  spend?(route: Route, caller: Caller, res: Response): Promise<void> | void
}

export interface MountedOperations<Deps, Caller> {
  handlers: Handlers<Deps, Caller>
  etags: FindETags<Deps, Caller>
  /** Passed to every handler. */
  deps: Deps
  admission: Admission<Caller>
  validator: Validator
  bodyLimitBytes: number
}

/**
 * Adds every operation of the document to the app: authorize, answer 304, spend the budget, read the body, validate, handle.
 */
export function mountOperations<Deps, Caller>(app: Express, mounted: MountedOperations<Deps, Caller>): void {
  for (const route of routes) mountOperation(app, route, route.operationId, mounted)
  app.use(checkKeyFirst(mounted.admission))
}

function mountOperation<Id extends OperationId, Deps, Caller>(
  app: Express,
  route: Route,
  id: Id,
  { handlers, etags, deps, admission, validator, bodyLimitBytes }: MountedOperations<Deps, Caller>,
): void {
  const spend = spendBudget(route, admission)
  const body = readBody(route, bodyLimitBytes)
  const findETag = etags[id]
  const handler = handlers[id]
  app[route.method](
    toExpressPath(route.path),
    authorize(route, admission),
    ...(findETag
      ? // Only a GET has an ETag, so there is no body to read before the budget is spent.
        [
          body,
          answerUnchanged(route, {
            isValid: validator.checkEarly(route),
            findETag: (req, res) => findETag(readInput<Id>(req, route), deps, res.locals.caller),
          }),
          spend,
        ]
      : [spend, body]),
    ...validator.validate(route),
    async (req, res) => {
      const answer = await handler(readInput<Id>(req, route), deps, res.locals.caller)
      await send(res, route, answer)
    },
  )
}

function authorize<Caller>(route: Route, admission: Admission<Caller>): RequestHandler {
  return async (req, res, next) => {
    res.locals.operationId = route.operationId
    res.locals.caller = await admission.authorize(route, req, res)
    next()
  }
}

/** Runs before the validator, whose security handlers would turn a 429 into a 500. */
function spendBudget<Caller>(route: Route, admission: Admission<Caller>): RequestHandler {
  return async (_req, res, next) => {
    await admission.spend?.(route, res.locals.caller, res)
    next()
  }
}

/**
 * Checks the key when the path has an invalid percent escape. Express finds that before the handlers of the route run, and
 * without a valid key the answer is 401, whatever else is wrong.
 */
function checkKeyFirst<Caller>(admission: Admission<Caller>): ErrorRequestHandler {
  return async (error, req, res, next) => {
    const route = error instanceof URIError ? findRoute(req.method, req.url) : undefined
    if (route) {
      await authorize(route, admission)(req, res, () => undefined)
      await spendBudget(route, admission)(req, res, () => undefined)
    }
    next(error)
  }
}

/** Returns the input of the handler. The validator has checked that it has the documented type, and added the defaults. */
function readInput<Id extends OperationId>(
  { params, query, headers, body }: Request,
  { mediaTypes }: Route,
): Input<Id> {
  const input: unknown = { params, query, headers, body, mediaType: chooseMediaType(headers.accept, mediaTypes) }
  return input as Input<Id>
}

/** An answer of any operation. */
interface Answer {
  status: number
  mediaType?: string
  headers?: Readonly<Record<string, string | undefined>>
  /** Text in parts if there is a media type other than JSON. */
  body: unknown
}

async function send(res: Response, route: Route, { status, headers, mediaType, body }: Answer): Promise<void> {
  if (headers) res.set(headers)
  if (headers?.ETag !== undefined) allowReuse(route, res)
  res.status(status)
  if (mediaType === undefined || mediaType === 'application/json') res.json(body)
  else await sendParts(res.type(mediaType), body as AsyncIterable<Uint8Array>)
}
