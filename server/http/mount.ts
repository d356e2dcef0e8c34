import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import { type OperationId, type Route, routes } from '../../generated/operations.ts'
import type { Deps } from '../operations/deps.ts'
import { etags, handlers } from '../operations/index.ts'
import { type AdmitDeps, authorize, spendBudget } from './admit.ts'
import { readBody } from './body.ts'
import { chooseMediaType } from './media-type.ts'
import { sendParts } from './parts.ts'
import { findRoute, toExpressPath } from './routes.ts'
import type { FindServerAddress } from './server-address.ts'
import { allowReuse, answerUnchanged } from './unchanged.ts'
import type { Validator } from './validator.ts'

/**
 * Adds every operation of the document to the app: authorize, answer 304, spend the budget, read the body, validate, handle.
 */
export function mountOperations(
  app: Express,
  {
    deps,
    admission,
    validator,
    bodyLimitBytes,
    findAddress,
  }: {
    deps: Deps
    admission: AdmitDeps
    validator: Validator
    bodyLimitBytes: number
    findAddress: FindServerAddress
  },
): void {
  for (const route of routes) {
    const read = inputReader(route, findAddress)
    const spend = spendBudget(route, admission)
    const body = readBody(route, bodyLimitBytes)
    app[route.method](
      toExpressPath(route.path),
      authorize(route, admission),
      ...(route.hasETag
        ? // Only a GET has an ETag, so there is no body to read before the budget is spent.
          [
            body,
            answerUnchanged(route, { isValid: validator.checkEarly(route), findETag: etagOf(route, deps, read) }),
            spend,
          ]
        : [spend, body]),
      ...validator.validate(route),
      handle(route, deps, read),
    )
  }
  app.use(checkKeyFirst(admission))
}

/**
 * Checks the key when the path has an invalid percent escape. Express finds that before the handlers of the route run, and
 * without a valid key the answer is 401, whatever else is wrong.
 */
function checkKeyFirst(admission: AdmitDeps): ErrorRequestHandler {
  return async (error, req, res, next) => {
    const route = error instanceof URIError ? findRoute(req.method, req.originalUrl) : undefined
    if (route) {
      await authorize(route, admission)(req, res, () => undefined)
      await spendBudget(route, admission)(req, res, () => undefined)
    }
    next(error)
  }
}

/** The type of all handlers here: only the operation id connects a handler to its input type. */
type AnyHandler = (input: object, deps: Deps, client: unknown) => Answer | Promise<Answer>
type AnyETag = (input: object, deps: Deps, client: unknown) => Promise<string | undefined>
interface Answer {
  status: number
  mediaType?: string
  headers?: Record<string, string>
  /** Text in parts if there is a media type. */
  body: unknown
}

/** Returns the input and the client that a handler gets. */
type ReadInput = (req: Request, res: Response) => [input: object, client: object]

function inputReader({ mediaTypes }: Route, findAddress: FindServerAddress): ReadInput {
  return (req, res) => [
    {
      params: req.params,
      query: req.query,
      headers: req.headers,
      body: req.body,
      mediaType: chooseMediaType(req.headers.accept, mediaTypes),
    },
    { ...res.locals.caller, address: findAddress(req) },
  ]
}

function etagOf({ operationId }: Route, deps: Deps, read: ReadInput) {
  const findETag = etags[operationId as keyof typeof etags] as unknown as AnyETag
  return (req: Request, res: Response) => {
    const [input, client] = read(req, res)
    return findETag(input, deps, client)
  }
}

function handle(route: Route, deps: Deps, read: ReadInput): RequestHandler {
  const handler = handlers[route.operationId as OperationId] as unknown as AnyHandler
  return async (req, res) => {
    const [input, client] = read(req, res)
    const { status, headers, mediaType, body } = await handler(input, deps, client)
    if (headers) res.set(headers)
    if (headers?.ETag !== undefined) allowReuse(route, res)
    res.status(status)
    if (mediaType === undefined || mediaType === 'application/json') res.json(body)
    else await sendParts(res.type(mediaType), body as AsyncIterable<Uint8Array>)
  }
}
