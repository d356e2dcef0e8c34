import { parse } from 'node:querystring'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { AnyRoute as Route } from '../../generated/operations.ts'
import { type ErrorBody, sendErrorBody } from './error-body.ts'
import type { Answer } from './fetch-response.ts'
import type { HoldAnswer } from './held-answers.ts'
import { chooseMediaType, isJson, jsonOnly } from './media-type.ts'
import { administration, type RouteTable, toExpressPath } from './routes.ts'
import { sendParts } from './send-stream.ts'
import type { Validator } from './validator.ts'

/** Decides who may call an operation. Only the headers of the request have been read. */
export interface Admission<Caller> {
  /** Returns the caller, which the handler gets. Throws `HttpError` to refuse the request, such as 401 and 403. */
  authorize(route: Route, req: Request, res: Response): Promise<Caller> | Caller
  /** Counts the request against a limit. Throws `HttpError` to refuse it: 429. Not called for a 304. */
  spend?(route: Route, caller: Caller, res: Response): Promise<void> | void
}

/** What a handler gets. The validator has checked that it has the documented type. */
type AnyInput = never

export interface MountedOperations<Deps, Caller> {
  /** The operations; default: those of the administration API. */
  table?: RouteTable
  /** One for each operation: `Handlers` of the generated types. */
  handlers: Readonly<Record<string, (input: AnyInput, deps: Deps, caller: Caller) => Answer | Promise<Answer>>>
  /** See `ETags` of the generated types. */
  etags: Readonly<
    Record<string, ((input: AnyInput, deps: Deps, caller: Caller) => Promise<string | undefined>) | undefined>
  >
  /** Passed to every handler. */
  deps: Deps
  admission: Admission<Caller>
  /** Undefined = every answer is sent at once. */
  hold?: HoldAnswer<Caller> | undefined
  validator: Validator
  bodyLimitBytes: number
}

/** Creates an app without the features of Express that the operations replace or must not have. */
export function createOperationsApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag') // it would be computed from the answer; operations and bundles set their own ETag
  app.enable('case sensitive routing')
  // The parser of Express ignores all that follows 1,000 ampersands.
  app.set('query parser', (query: string) => parse(query, '&', '=', { maxKeys: 0 }))
  app.response.json = sendJson
  return app
}

/**
 * Adds every operation of the document to the app: authorize, answer 304, spend the budget, read the body, validate, handle.
 */
export function mountOperations<Deps, Caller>(app: Express, mounted: MountedOperations<Deps, Caller>): void {
  mountTable(app, mounted)
  app.use(checkKeyFirst(administration, mounted.admission))
}

/** Adds the operations of two documents to the app; `all` has both. */
export function mountBoth<Deps, Caller, OtherDeps>(
  app: Express,
  mounted: MountedOperations<Deps, Caller>,
  other: MountedOperations<OtherDeps, Caller> & { all: RouteTable },
): void {
  mountTable(app, mounted)
  mountTable(app, other)
  app.use(checkKeyFirst(other.all, mounted.admission))
}

function mountTable<Deps, Caller>(app: Express, mounted: MountedOperations<Deps, Caller>): void {
  for (const route of (mounted.table ?? administration).routes) mountOperation(app, route, mounted)
}

function mountOperation<Deps, Caller>(
  app: Express,
  route: Route,
  { handlers, etags, deps, admission, hold, validator, bodyLimitBytes }: MountedOperations<Deps, Caller>,
): void {
  const spend = spendBudget(route, admission)
  const body = readBody(route, bodyLimitBytes)
  const findETag = etags[route.operationId]
  const handler = handlers[route.operationId]
  if (!handler) throw new Error(`${route.operationId} has no handler.`)
  app[route.method](
    toExpressPath(route.path),
    authorize(route, admission),
    ...(findETag
      ? // Only a GET has an ETag, so there is no body to read before the budget is spent.
        [
          body,
          answerUnchanged(route, {
            isValid: validator.checkEarly(route),
            findETag: (req, res) => findETag(readInput(req, route), deps, res.locals.caller),
          }),
          spend,
        ]
      : [spend, body]),
    ...validator.validate(route),
    async (req, res) => {
      const { caller } = res.locals
      const read = () => handler(readInput(req, route), deps, caller)
      const answer = await (hold ? hold(route, { req, res, caller }, read) : read())
      if (!res.closed) await send(res, route, answer)
    },
  )
}

function authorize<Caller>(route: Route, admission: Admission<Caller>): RequestHandler {
  return async (req, res, next) => {
    res.locals.operationId = route.operationId
    if (route.deprecation) res.set({ Deprecation: route.deprecation.deprecation, Sunset: route.deprecation.sunset })
    res.locals.caller = await admission.authorize(route, req, res)
    next()
  }
}

/** Runs before the validator, whose security handlers would turn a 429 into a 500. */
function spendBudget<Caller>(route: Route, admission: Admission<Caller>): RequestHandler {
  return async (_req, res, next) => {
    await admission.spend?.(route, res.locals.caller, res)
    res.locals.budget = route.rateLimit?.budget
    next()
  }
}

/**
 * Reads the request body of operations that have one, and sets Content-Type to a fixed value: express-openapi-validator
 * compiles and keeps a validator for each raw Content-Type, so clients could fill the memory with them.
 */
export function readBody(route: Route, limitBytes: number): RequestHandler {
  // What a handler has not read is dropped, so that the next request on the connection can be read.
  if (route.isRaw) return (req, res, next) => next(void res.once('finish', () => req.resume()))
  if (!route.hasBody) {
    return (req, _res, next) => {
      delete req.headers['content-type']
      next()
    }
  }
  const readJson = express.json({ limit: limitBytes, strict: false, type: () => true })
  return (req, res, next) => {
    if (!isJson(req.headers['content-type'])) throw jsonOnly()
    req.headers['content-type'] = 'application/json'
    readJson(req, res, next)
  }
}

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
function answerUnchanged(route: Route, { isValid, findETag }: AnswerUnchangedOptions): RequestHandler {
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
function allowReuse({ mediaTypes }: Route, res: Response): void {
  res.set('Cache-Control', 'private, no-cache')
  if (mediaTypes.length > 1) res.vary('Accept')
}

/**
 * Checks the method and the key when the path has an invalid percent escape. Express finds that before the handlers of the route
 * run. Another method is a 405, and without a valid key the answer is 401, whatever else is wrong.
 */
function checkKeyFirst<Caller>(table: RouteTable, admission: Admission<Caller>): ErrorRequestHandler {
  return async (error, req, res, next) => {
    if (!(error instanceof URIError)) return next(error)
    const route = table.findRoute(req.method, req.url)
    if (!route) throw table.refuseUnknown(req.method, req.url)
    await authorize(route, admission)(req, res, () => undefined)
    await spendBudget(route, admission)(req, res, () => undefined)
    next(error)
  }
}

/** Returns the input of the handler. The validator has checked that it has the documented type, and added the defaults. */
function readInput(req: Request, { mediaTypes, isRaw }: Route): AnyInput {
  const { params, query, headers } = req
  const mediaType = chooseMediaType(headers.accept, mediaTypes)
  // Without `destroyOnReturn: false`, a handler that stops reading would stop the whole connection.
  const content = isRaw ? req.iterator({ destroyOnReturn: false }) : req.body
  return { params, query, headers, body: content, mediaType } as AnyInput
}

async function send(res: Response, route: Route, { status, headers, mediaType, body }: Answer): Promise<void> {
  if (headers) res.set(headers)
  if (headers?.ETag !== undefined) allowReuse(route, res)
  if (status >= 400) return sendErrorBody(res, status, body as ErrorBody)
  res.status(status)
  if (body === undefined) res.end()
  else if (mediaType === undefined || mediaType === 'application/json') res.json(body)
  else {
    if (mediaType === 'text/event-stream') {
      // nginx would keep events back until it has some kilobytes. A server that stops does not wait for the end of a stream.
      res.set('X-Accel-Buffering', 'no').once('stopping', () => res.destroy())
    }
    await sendParts(res.type(mediaType), body as AsyncIterable<Uint8Array>)
  }
}

/**
 * Sends a value as JSON. Replaces the `json` of Express, which parses and formats the Content-Type and checks for 304 on
 * every response, although `answerUnchanged` has done that before (measured: see scripts/bench/RESULTS.md).
 */
export function sendJson(this: Response, value: unknown): Response {
  const text = JSON.stringify(value)
  if (!this.hasHeader('Content-Type')) this.setHeader('Content-Type', 'application/json; charset=utf-8')
  this.setHeader('Content-Length', Buffer.byteLength(text))
  return this.end(text)
}
