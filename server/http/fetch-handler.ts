import type { Request as ExpressRequest, Response as ExpressResponse } from 'express'
import type { Handlers, Input, OperationId, Route } from '../../generated/operations.ts'
import { readFetchBody } from './fetch-body.ts'
import { HttpError, serverFault, toErrorBody, toRequestError } from './http-error.ts'
import { chooseMediaType } from './media-type.ts'
import { safeRequestId } from './request-id.ts'
import { findRoute, refuseUnknown } from './routes.ts'
import { openValidator, type Validator } from './validator.ts'

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
  /** The largest request body. Default: 1 MiB. */
  bodyLimitBytes?: number
  /** Called with each error that is answered with a status of 500 or more. */
  onError?: (error: unknown, requestId: string) => void
}

/**
 * Creates a function that answers requests of the Fetch API as `mount` does in Express: it validates, fills in defaults, and gives
 * errors the documented body. It answers no 304.
 */
export async function createFetchHandler<Deps, Caller>(
  options: FetchHandlerOptions<Deps, Caller>,
): Promise<(request: Request) => Promise<Response>> {
  const validator = await openValidator(options.document)
  return async request => {
    const requestId = safeRequestId(request.headers.get('X-Request-Id') ?? undefined)
    const headers = new Headers({ 'X-Request-Id': requestId })
    const { pathname } = new URL(request.url)
    const route = findRoute(request.method, pathname)
    try {
      if (!route) throw refuseUnknown(request.method, pathname)
      return await answer(request, { route, id: route.operationId, pathname, headers, validator, ...options })
    } catch (thrown) {
      const error = thrown instanceof HttpError ? thrown : (toRequestError(thrown) ?? new HttpError(500, serverFault))
      if (error.status >= 500) options.onError?.(thrown, requestId)
      for (const [name, value] of Object.entries(error.headers)) headers.set(name, value)
      return toResponse(request, { status: error.status, body: toErrorBody(error, route) }, headers)
    }
  }
}

interface Matched<Id extends OperationId, Deps, Caller> extends FetchHandlerOptions<Deps, Caller> {
  route: Route
  id: Id
  pathname: string
  headers: Headers
  validator: Validator
}

async function answer<Id extends OperationId, Deps, Caller>(
  request: Request,
  {
    route,
    id,
    pathname,
    headers,
    validator,
    handlers,
    deps,
    admission,
    bodyLimitBytes = 2 ** 20,
  }: Matched<Id, Deps, Caller>,
): Promise<Response> {
  const caller = await admission.authorize(route, request)
  await admission.spend?.(route, caller, headers)
  const body = await readFetchBody(request, route, bodyLimitBytes)
  const input = await validate<Id>(validator, route, {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    originalUrl: pathname,
    params: readParams(route, pathname),
    query: readQuery(new URL(request.url).searchParams),
    headers: {
      ...Object.fromEntries(request.headers),
      // As for Express: the validator keeps a validator for each Content-Type.
      'content-type': route.hasBody ? 'application/json' : undefined,
    },
    body,
  })
  const result = await handlers[id](input, deps, caller)
  return toResponse(request, result, headers)
}

/** The part of a request of Express that the validator reads, and adds the defaults to. */
interface RequestParts {
  method: string
  originalUrl: string
  params: Record<string, string>
  query: Record<string, string | string[]>
  headers: Record<string, string | undefined>
  body: unknown
}

/** Returns the input of the handler. Throws the error of an invalid request. */
async function validate<Id extends OperationId>(
  validator: Validator,
  route: Route,
  parts: RequestParts,
): Promise<Input<Id>> {
  for (const check of validator.validate(route)) {
    await new Promise<void>((done, failed) => {
      const next = (error?: unknown) => (error === undefined ? done() : failed(error))
      void check(parts as unknown as ExpressRequest, {} as ExpressResponse, next)
    })
  }
  const { params, query, headers, body } = parts
  const input: unknown = { params, query, headers, body, mediaType: chooseMediaType(headers.accept, route.mediaTypes) }
  return input as Input<Id>
}

function readParams({ path }: Route, pathname: string): Record<string, string> {
  const values = pathname.split('/')
  return Object.fromEntries(
    path
      .split('/')
      .flatMap((step, i) => (step.startsWith('{') ? [[step.slice(1, -1), decodeURIComponent(values[i] ?? '')]] : [])),
  )
}

function readQuery(given: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(given.keys())]
  return Object.fromEntries(
    names.map(name => {
      const [first = '', ...others] = given.getAll(name)
      return [name, others.length === 0 ? first : [first, ...others]]
    }),
  )
}

interface Answer {
  status: number
  mediaType?: string
  headers?: Readonly<Record<string, string | undefined>>
  body: unknown
}

function toResponse(
  request: Request,
  { status, mediaType, headers: own = {}, body }: Answer,
  headers: Headers,
): Response {
  for (const [name, value] of Object.entries(own)) if (value !== undefined) headers.set(name, value)
  const isJsonAnswer = mediaType === undefined || mediaType === 'application/json'
  headers.set('Content-Type', isJsonAnswer ? 'application/json; charset=utf-8' : `${mediaType}; charset=utf-8`)
  const content = isJsonAnswer ? JSON.stringify(body) : toStream(body as AsyncIterable<Uint8Array<ArrayBuffer>>)
  return new Response(request.method === 'HEAD' ? null : content, { status, headers })
}

/** Converts parts to a stream. Web browsers and workers lack `ReadableStream.from`. */
function toStream(parts: AsyncIterable<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = parts[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(stream) {
      const next = await iterator.next()
      if (next.done) stream.close()
      else stream.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
