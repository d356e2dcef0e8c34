import { type Handlers, type Input, type OperationId, type Route, routes } from '../../generated/operations.ts'
import { readFetchBody } from './fetch-body.ts'
import { readParts, toInput } from './fetch-input.ts'
import { allowReuse, isUnchanged, toResponse } from './fetch-response.ts'
import type { FindETags } from './find-etags.ts'
import { HttpError, serverFault, toErrorBody, toRequestError } from './http-error.ts'
import { createInputCheck, type InputParts } from './input-check.ts'
import { findRoute, refuseUnknown } from './routes.ts'
import { safeRequestId } from './safe-request-id.ts'

/** Decides who may call an operation; see `Admission` of the Express side. */
export interface FetchAdmission<Caller> {
  authorize(route: Route, request: Request): Promise<Caller> | Caller
  /** `headers` are added to the answer. */
  spend?(route: Route, caller: Caller, headers: Headers): Promise<void> | void
}

export interface FetchHandlerOptions<Deps, Caller> {
  /** The OpenAPI document: quire-spec/openapi.json, parsed. */
  document: object
  /** One handler for each operation. */
  handlers: Handlers<Deps, Caller>
  /** Passed to every handler. */
  deps: Deps
  admission: FetchAdmission<Caller>
  /** The ETags of operations that can answer 304. */
  etags?: FindETags<Deps, Caller>
  /** The largest request body. Default: 1 MiB. */
  bodyLimitBytes?: number
  /** Called with each error that is answered with a status of 500 or more. */
  onError?: (error: unknown, requestId: string) => void
}

/**
 * Creates a function that answers requests of the Fetch API as `mount` does in Express: it validates, fills in defaults, and gives
 * errors the documented body. It needs neither Node nor Express.
 */
export async function createFetchHandler<Deps, Caller>(
  options: FetchHandlerOptions<Deps, Caller>,
): Promise<(request: Request) => Promise<Response>> {
  const answer = createTargetHandler(options)
  return request => {
    const { pathname, search } = new URL(request.url)
    return answer(request, pathname + search, safeRequestId(request.headers.get('X-Request-Id') ?? undefined))
  }
}

/**
 * Like `createFetchHandler`, for callers that know the request target better than the URL of the request, which has no dot segments
 * any more.
 */
export function createTargetHandler<Deps, Caller>(
  options: FetchHandlerOptions<Deps, Caller>,
): (request: Request, target: string, requestId: string) => Promise<Response> {
  const checks = new Map(routes.map(route => [route.operationId, createInputCheck(options.document, route)]))
  return async (request, target, requestId) => {
    const headers = new Headers({ 'X-Request-Id': requestId })
    const route = findRoute(request.method, target)
    const check = route && checks.get(route.operationId)
    try {
      if (!route || !check) throw refuseUnknown(request.method, target)
      return await answer(request, { route, id: route.operationId, target, headers, check, ...options })
    } catch (thrown) {
      const error = thrown instanceof HttpError ? thrown : (toRequestError(thrown) ?? new HttpError(500, serverFault))
      if (error.status >= 500) options.onError?.(thrown, requestId)
      for (const [name, value] of Object.entries(error.headers)) headers.set(name, value)
      return toResponse(request, { status: error.status, body: toErrorBody(error, route) }, headers, route)
    }
  }
}

interface Matched<Id extends OperationId, Deps, Caller> extends FetchHandlerOptions<Deps, Caller> {
  route: Route
  id: Id
  target: string
  headers: Headers
  check: (parts: InputParts) => void
}

async function answer<Id extends OperationId, Deps, Caller>(
  request: Request,
  matched: Matched<Id, Deps, Caller>,
): Promise<Response> {
  const { route, id, target, headers, check, handlers, deps, admission, bodyLimitBytes = 2 ** 20 } = matched
  const caller = await admission.authorize(route, request)
  const unchanged = await answerUnchanged(request, matched, caller)
  if (unchanged) return unchanged
  await admission.spend?.(route, caller, headers)
  const parts = readParts(request, route, target)
  parts.body = await readFetchBody(request, route, bodyLimitBytes)
  check(parts)
  return toResponse(request, await handlers[id](toInput<Id>(parts, route), deps, caller), headers, route)
}

/** Answers 304 if If-None-Match names the current answer. Like for `mount`, that costs nothing of the rate limit. */
async function answerUnchanged<Id extends OperationId, Deps, Caller>(
  request: Request,
  { route, id, target, headers, check, deps, etags }: Matched<Id, Deps, Caller>,
  caller: Caller,
): Promise<Response | undefined> {
  const findETag = etags?.[id]
  if (!findETag || !request.headers.has('If-None-Match')) return undefined
  let input: Input<Id>
  try {
    const parts = readParts(request, route, target)
    check(parts)
    input = toInput<Id>(parts, route)
  } catch {
    // It is answered as without the header.
    return undefined
  }
  const etag = await findETag(input, deps, caller)
  if (etag === undefined || !isUnchanged(request.headers, etag)) return undefined
  headers.set('ETag', etag)
  allowReuse(route, headers)
  return new Response(null, { status: 304, headers })
}
