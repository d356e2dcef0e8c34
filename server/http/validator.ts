import { parse } from 'node:url'
import type { Request, RequestHandler } from 'express'
import { middleware as openapiMiddleware } from 'express-openapi-validator'
import { type Route, routes } from '../../generated/operations.ts'
import { HttpError } from './errors.ts'
import { explainInvalid, type Fields, listFields, listQueryIntegers, type ValidatorError } from './invalid-request.ts'

export interface Validator {
  /** The middlewares that check a request of this operation against the document and fill in defaults. */
  validate(route: Route): RequestHandler[]
}

/** What express-openapi-validator finds out about a request and keeps on it. */
interface Matched {
  expressRoute: string
  openApiRoute: string
  schema: object
  serial: number
  pathParams: Record<string, string>
}

/**
 * Opens express-openapi-validator on the document, compiled and warm. With `validateResponses`, an answer that breaks the
 * document becomes a 500.
 *
 * Express has already found the route, so the validator's own search is done once here instead of once a request: there it
 * compiles each path pattern anew every time, a third of its cost (measured: see scripts/bench/RESULTS.md).
 */
export async function openValidator(
  document: object,
  { validateResponses = false }: { validateResponses?: boolean } = {},
): Promise<Validator> {
  const chain = openapiMiddleware({
    // The validator takes its copy apart, so it gets one of its own.
    apiSpec: structuredClone(document) as never,
    validateApiSpec: false,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses,
    validateSecurity: false,
    fileUploader: false,
  }) as RequestHandler[]
  const find = (name: string) => {
    const found = chain.find(middleware => middleware.name === name)
    if (!found)
      throw new Error(`express-openapi-validator has no ${name} any more: server/http/validator.ts must follow it.`)
    return found
  }
  const search = find('metadataMiddleware')
  const checkRequest = find('requestMiddleware')
  const checkResponse = validateResponses ? find('responseMiddleware') : undefined

  const matches = new Map<string, Matched>()
  for (const route of routes) {
    const matched = await matchOnce(search, route)
    matches.set(route.operationId, matched)
    await warmUp(checkRequest, route, matched)
  }
  skipWarningOfUrlParse()

  return {
    validate(route) {
      const matched = matches.get(route.operationId) as Matched
      const fields = listFields(document, route)
      const integers = listQueryIntegers(document, route)
      const check: RequestHandler = (req, res, next) => {
        const unclear = findUnclearIntegers(req.query, integers)
        if (unclear.length > 0) return next(refuse(unclear, fields))
        Object.assign(req, { openapi: { ...matched, pathParams: req.params } })
        checkRequest(req, res, error => next(error && translate(error, fields)))
      }
      return checkResponse ? [check, checkResponse] : [check]
    },
  }
}

/** Runs the validator's route search on a request of this operation that nobody sent. */
async function matchOnce(search: RequestHandler, route: Route): Promise<Matched> {
  const path = route.path.replaceAll(/\{\w+\}/g, 'x')
  const req = {
    method: route.method.toUpperCase(),
    path,
    url: path,
    originalUrl: path,
    baseUrl: '',
    app: { enabled: () => false },
  }
  await run(search, req)
  return (req as unknown as { openapi: Matched }).openapi
}

/** Lets the validator compile its schemas before the first request; whether this request is valid does not matter. */
async function warmUp(checkRequest: RequestHandler, route: Route, matched: Matched): Promise<void> {
  const headers = route.hasBody ? { 'content-type': 'application/json' } : {}
  const req = {
    method: route.method.toUpperCase(),
    originalUrl: route.path,
    headers,
    query: {},
    body: {},
    openapi: matched,
  }
  await run(checkRequest, req).catch(error => {
    if (!isValidatorError(error)) throw error
  })
}

/**
 * The validator calls url.parse once a request, and until Node has warned of that function (DEP0169) each call walks the
 * stack to find out who called: 2 microseconds of 70. So the one warning is spent here, unseen; nobody could act on it.
 */
function skipWarningOfUrlParse(): void {
  const { noDeprecation = false } = process
  process.noDeprecation = true
  parse('')
  process.noDeprecation = noDeprecation
}

function run(handler: RequestHandler, req: object): Promise<void> {
  return new Promise((resolve, reject) => {
    handler(req as Request, {} as never, (error?: unknown) => (error ? reject(error) : resolve()))
  })
}

function isValidatorError(error: unknown): error is { status: number; errors: ValidatorError[] } {
  return Array.isArray((error as { errors?: unknown }).errors)
}

function translate(error: unknown, fields: Fields): unknown {
  if (!isValidatorError(error) || error.status !== 400) return error
  return refuse(error.errors, fields)
}

function refuse(errors: readonly ValidatorError[], fields: Fields): HttpError {
  const details = explainInvalid(errors, fields)
  return new HttpError(400, details.join(' '), {}, details)
}

/** The validator takes for a number whatever JavaScript does: 0x10, 1e2, spaces around it. Only decimal digits are meant. */
function findUnclearIntegers(query: Request['query'], names: readonly string[]): ValidatorError[] {
  return names.flatMap(name => {
    const value = query[name]
    const isUnclear = typeof value === 'string' && value !== '' && !/^(\d+|-[1-9]\d*)$/.test(value)
    return isUnclear
      ? [{ path: `/query/${name}`, message: 'must be integer', errorCode: 'type.openapi.validation' }]
      : []
  })
}
