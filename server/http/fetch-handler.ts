import { type AnyRoute, type Input, type OperationId, type Route, routes } from '../../generated/operations.ts'
import { toErrorBody } from './error-body.ts'
import { readParts, toInput } from './fetch-input.ts'
import { allowReuse, isUnchanged, toResponse } from './fetch-response.ts'
import type { GivenOperations } from './given-operations.ts'
import { toKnownError } from './http-error.ts'
import { createInputCheck, type InputParts } from './input-check.ts'
import { isJson, jsonOnly } from './media-type.ts'
import { repeatedHeader } from './request-form.ts'
import { safeRequestId } from './request-id.ts'
import { createRouteTable } from './routes.ts'

/** Decides who may call an operation; see `Admission` of the Express side. */
export interface FetchAdmission<Caller> {
  authorize(route: Route, request: Request): Promise<Caller> | Caller
  /** `headers` are added to the answer. */
  spend?(route: Route, caller: Caller, headers: Headers): Promise<void> | void
}

export interface FetchHandlerOptions<Deps, Caller> extends GivenOperations<Deps, Caller> {
  /** Passed to every handler. */
  deps: Deps
  admission: FetchAdmission<Caller>
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
  const { document, extensions, ...others } = options
  // Input and answers of both documents have the same form.
  const added = (extensions?.routes ?? []) as readonly AnyRoute[] as readonly Route[]
  const { findRoute, refuseUnknown } = createRouteTable([...routes, ...added])
  const handlers = { ...options.handlers, ...extensions?.handlers }
  const checks = new Map(routes.map(route => [route.operationId, createInputCheck(document, route)]))
  for (const route of added) checks.set(route.operationId, createInputCheck(extensions?.document ?? {}, route))
  return async (request, target, requestId) => {
    const headers = new Headers({ 'X-Request-Id': requestId })
    const route = findRoute(request.method, target)
    const check = route && checks.get(route.operationId)
    if (route?.deprecation) {
      headers.set('Deprecation', route.deprecation.deprecation)
      headers.set('Sunset', route.deprecation.sunset)
    }
    try {
      if (hasTwoKeys(request.headers.get('Authorization') ?? '')) throw repeatedHeader('Authorization')
      if (!route || !check) throw refuseUnknown(request.method, target)
      return await answer(request, { route, id: route.operationId, target, headers, check, ...others, handlers })
    } catch (thrown) {
      const error = toKnownError(thrown)
      if (error.status >= 500) options.onError?.(thrown, requestId)
      for (const [name, value] of Object.entries(error.headers)) headers.set(name, value)
      return toResponse(request, { status: error.status, body: toErrorBody(error, route) }, headers, route)
    }
  }
}

/** The Fetch API joins headers of the same name by commas, which no Bearer token has (RFC 6750, 2.1). */
function hasTwoKeys(authorization: string): boolean {
  return authorization.includes(',') && /^bearer\s|,\s*bearer\s/i.test(authorization)
}

interface Matched<Id extends OperationId, Deps, Caller> extends Omit<FetchHandlerOptions<Deps, Caller>, 'document'> {
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

/**
 * Reads the JSON body of a request of the Fetch API; undefined for an operation without one. A body of bytes is read by the handler.
 *
 * @throws {HttpError} 415
 * @throws {object} with the `type` of the errors of body-parser, which `toRequestError` converts
 */
async function readFetchBody(request: Request, { hasBody, isRaw }: Route, limitBytes: number): Promise<unknown> {
  if (isRaw) return readChunks(request.body)
  if (!hasBody) return undefined
  if (!isJson(request.headers.get('Content-Type') ?? undefined)) throw jsonOnly()
  const text = await readText(decompress(request), limitBytes)
  try {
    // As express.json does, which takes no body for an empty object.
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw { type: 'entity.parse.failed' }
  }
}

/** The encodings of HTTP, with their names in the standard Compression Streams. */
const formats = new Map([
  ['gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
])

function decompress({ body, headers }: Request): ReadableStream<Uint8Array> {
  const encoding = (headers.get('Content-Encoding') || 'identity').toLowerCase()
  // The client announces a missing body as an empty one, which has no encoding but identity.
  const sent = body ?? new Blob([]).stream()
  return encoding === 'identity' ? sent : sent.pipeThrough(createDecompression(encoding))
}

function createDecompression(encoding: string): DecompressionStream {
  try {
    // Other encodings have no format. Some platforms do not know brotli, nor do the types.
    return new DecompressionStream(formats.get(encoding) as 'gzip')
  } catch {
    throw { type: 'encoding.unsupported' }
  }
}

/** A stream is not iterable in every browser. */
async function* readChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value
}

/** Reads a part. Only a body that does not match its Content-Encoding cannot be read. */
async function readPart(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch {
    throw { code: 'Z_DATA_ERROR' }
  }
}

async function readText(body: ReadableStream<Uint8Array>, limitBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  let sizeBytes = 0
  for (let next = await readPart(reader); !next.done; next = await readPart(reader)) {
    sizeBytes += next.value.length
    if (sizeBytes > limitBytes) {
      await reader.cancel()
      throw { type: 'entity.too.large' }
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
