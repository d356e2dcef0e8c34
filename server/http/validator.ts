import { parse } from 'node:url'
import type { Request, RequestHandler, Response } from 'express'
import { middleware as openapiMiddleware } from 'express-openapi-validator'
import { type AnyRoute as Route, routes } from '../../generated/operations.ts'
import { createInputCheck } from './input-check.ts'
import { createQueryCheck } from './invalid-request.ts'

export interface Validator {
  /** Returns the middleware that checks requests of this operation against the document and fills in defaults. */
  validate(route: Route): RequestHandler[]
  /**
   * Returns a function that checks a request before the middleware, and says whether it is valid. The middleware does not check
   * it again, and passes on its error.
   */
  checkEarly(route: Route): (req: Request, res: Response) => Promise<boolean>
}

/** The route data that express-openapi-validator attaches to a request. */
interface Matched {
  expressRoute: string
  openApiRoute: string
  schema: object
  serial: number
  pathParams: Record<string, string>
}

/**
 * Creates the validator of the document, with its schemas compiled. With `validateResponses`, a response that does not match
 * the document becomes a 500.
 *
 * 2026-11-25: it uses middlewares of express-openapi-validator by their names, and not the list that the package exports.
 * The list searches the route that Express has found again, by compiling every path pattern: 19 instead of 3 microseconds of
 * CPU time for a check of getAgentJob, and 89 instead of 66 for the whole request (scripts/bench/RESULTS.md). That is 0.46
 * of the speed of bare node:http (41); the goal is 0.55. So each route is searched once, here, with an artificial request.
 * If an update renames a middleware, every test that opens a validator fails with the sentence of `find`.
 */
export async function openValidator(
  document: object,
  { validateResponses = false, routes: all = routes }: { validateResponses?: boolean; routes?: readonly Route[] } = {},
): Promise<Validator> {
  // The validator modifies the document, so it gets a copy.
  const copy = allowReserved(validateResponses ? document : copyRequests(document)) as Paths
  // It would compare the Content-Type of bytes that only the handler can read.
  for (const { path, method, isRaw } of all) if (isRaw) delete copy.paths[path]?.[method]?.requestBody
  const chain = openapiMiddleware({
    apiSpec: copy as never,
    validateApiSpec: false,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses,
    validateSecurity: false,
    fileUploader: false,
  }) as RequestHandler[]
  const find = (name: string) => {
    const found = chain.find(middleware => middleware.name === name)
    if (!found) throw new Error(`express-openapi-validator no longer has ${name}. Adapt server/http/validator.ts.`)
    return found
  }
  const search = find('metadataMiddleware')
  const checkRequest = find('requestMiddleware')
  const checkResponse = validateResponses ? find('responseMiddleware') : undefined

  const matches = new Map<string, Matched>()
  for (const route of all) {
    const matched = await matchOnce(search, route)
    matches.set(route.operationId, matched)
    await warmUp(checkRequest, route, matched)
  }
  skipWarningOfUrlParse()

  const checked = new WeakMap<Request, { error: unknown }>()
  const createCheck = (route: Route) =>
    checkRoute(route, { document, matched: matches.get(route.operationId) as Matched, checkRequest })

  return {
    validate(route) {
      const check = createCheck(route)
      const checkOnce: RequestHandler = (req, res, next) => {
        const early = checked.get(req)
        if (early) next(early.error)
        else check(req, res, next)
      }
      return checkResponse ? [checkOnce, checkResponse] : [checkOnce]
    },
    checkEarly(route) {
      const check = createCheck(route)
      return (req, res) =>
        new Promise(done => {
          check(req, res, (error?: unknown) => {
            checked.set(req, { error })
            done(error === undefined)
          })
        })
    },
  }
}

/**
 * Returns the check of the requests of one operation. It passes on an error for an invalid request. express-openapi-validator stops at
 * the first violation, so `createInputCheck` finds all of them when there is one.
 */
function checkRoute(
  route: Route,
  { document, matched, checkRequest }: { document: object; matched: Matched; checkRequest: RequestHandler },
): RequestHandler {
  const checkQuery = createQueryCheck(document, route)
  const findAll = createInputCheck(document, route)
  return (req, res, next) => {
    const { params, query, headers, body } = req
    const explain = (otherwise: unknown) => {
      try {
        findAll({ params: params as Record<string, string>, query, headers: headers as Record<string, string>, body })
        return otherwise
      } catch (error) {
        return error
      }
    }
    if (checkQuery({ query, accept: headers.accept }).length > 0) return next(explain(undefined))
    Object.assign(req, { openapi: { ...matched, pathParams: req.params } })
    checkRequest(req, res, error => next(isValidatorError(error) && error.status === 400 ? explain(error) : error))
  }
}

/** Runs the validator's route search on an artificial request of this operation. */
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

/** Makes the validator compile its schemas with an artificial request, which need not be valid. */
async function warmUp(checkRequest: RequestHandler, route: Route, matched: Matched): Promise<void> {
  const headers = route.hasBody && !route.isRaw ? { 'content-type': 'application/json' } : {}
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
 * The validator calls url.parse on each request. Until Node has warned about that function once (DEP0169), each call
 * inspects the stack: 2 of 70 microseconds. This triggers the warning once, suppressed: users cannot act on it.
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

function isValidatorError(error: unknown): error is { status: number } {
  return Array.isArray((error as { errors?: unknown } | undefined)?.errors)
}

type Json = Record<string, unknown>
type Paths = { paths: Record<string, Record<string, Json | undefined>> }

/** What of an operation says which requests are valid. */
const keptOfOperation = ['operationId', 'parameters', 'requestBody', 'security', 'servers']

/**
 * Copies a document without what requests do not need: answers, examples at operations, and components that are not referred to. The
 * validator compiles every schema that it is given, so this takes a third off its start.
 */
export function copyRequests(document: object): object {
  const {
    paths = {},
    components = {},
    webhooks: _,
    ...rest
  } = document as { paths?: Json; components?: Record<string, Json>; webhooks?: Json }
  const kept = mapValues(paths, item =>
    mapValues(item as Json, part => (isOperation(part) ? pick(part, keptOfOperation) : part)),
  )
  const found = new Map<string, Json>([['securitySchemes', components.securitySchemes ?? {}]])
  const search = (part: unknown) => {
    // References are texts, and the keys of a discriminator refer to schemas without $ref.
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/([^"/]+)\/([^"/]+)/g)) {
      const component = components[kind]?.[name]
      const ofKind = found.get(kind) ?? {}
      if (component === undefined || Object.hasOwn(ofKind, name)) continue
      found.set(kind, { ...ofKind, [name]: component })
      search(component)
    }
  }
  search(kept)
  return structuredClone({ ...rest, paths: kept, components: Object.fromEntries(found) })
}

/** Copies a document. A slash or a colon is legal in a query (RFC 3986, 3.4), and the validator refuses it unless the document allows it. */
function allowReserved(document: object): object {
  return JSON.parse(JSON.stringify(document), (_, part) =>
    part?.in === 'query' ? { ...part, allowReserved: true } : part,
  )
}

function isOperation(part: unknown): part is Json {
  return typeof part === 'object' && part !== null && 'responses' in part
}

function pick(object: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))
}

function mapValues(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}
