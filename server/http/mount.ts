import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import { type OperationId, type Route, routes } from '../../generated/operations.ts'
import type { Deps } from '../operations/deps.ts'
import { handlers } from '../operations/index.ts'
import { type AdmitDeps, admit } from './admit.ts'
import { readBody } from './body.ts'
import { findRoute, toExpressPath } from './routes.ts'
import type { FindServerAddress } from './server-address.ts'
import type { Validator } from './validator.ts'

/** Adds every operation of the document to the app: admit, read the body, validate, handle. */
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
    app[route.method](
      toExpressPath(route.path),
      admit(route, admission),
      readBody(route, bodyLimitBytes),
      ...validator.validate(route),
      handle(route, { deps, findAddress }),
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
    if (route) await admit(route, admission)(req, res, () => undefined)
    next(error)
  }
}

/** The type of all handlers here: only the operation id connects a handler to its input type. */
type AnyHandler = (input: object, deps: Deps, client: unknown) => Answer | Promise<Answer>
interface Answer {
  status: number
  headers?: Record<string, string>
  body: unknown
}

function handle(route: Route, { deps, findAddress }: { deps: Deps; findAddress: FindServerAddress }): RequestHandler {
  const handler = handlers[route.operationId as OperationId] as unknown as AnyHandler
  return async (req, res) => {
    const input = { params: req.params, query: req.query, headers: req.headers, body: req.body }
    const { status, headers, body } = await handler(input, deps, { ...res.locals.caller, address: findAddress(req) })
    if (headers) res.set(headers)
    res.status(status).json(body)
  }
}
