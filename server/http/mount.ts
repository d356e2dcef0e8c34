import type { Express, RequestHandler } from 'express'
import { type OperationId, type Route, routes } from '../../generated/operations.ts'
import type { Deps } from '../operations/deps.ts'
import { handlers } from '../operations/index.ts'
import { type AdmitDeps, admit } from './admit.ts'
import { readBody } from './body.ts'
import { toExpressPath } from './routes.ts'
import type { Validator } from './validator.ts'

/** Adds every operation of the document to the app: admit, read the body, validate, handle. */
export function mountOperations(
  app: Express,
  {
    deps,
    admission,
    validator,
    bodyLimitBytes,
  }: {
    deps: Deps
    admission: AdmitDeps
    validator: Validator
    bodyLimitBytes: number
  },
): void {
  for (const route of routes) {
    app[route.method](
      toExpressPath(route.path),
      admit(route, admission),
      readBody(route, bodyLimitBytes),
      ...validator.validate(route),
      handle(route, deps),
    )
  }
}

/** The type of all handlers here: only the operation id connects a handler to its input type. */
type AnyHandler = (input: object, deps: Deps, caller: unknown) => Answer | Promise<Answer>
interface Answer {
  status: number
  headers?: Record<string, string>
  body: unknown
}

function handle(route: Route, deps: Deps): RequestHandler {
  const handler = handlers[route.operationId as OperationId] as unknown as AnyHandler
  return async (req, res) => {
    const input = { params: req.params, query: req.query, headers: req.headers, body: req.body }
    const { status, headers, body } = await handler(input, deps, res.locals.caller)
    if (headers) res.set(headers)
    res.status(status).json(body)
  }
}
