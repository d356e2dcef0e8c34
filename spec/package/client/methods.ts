import createSender from 'openapi-fetch'
import { describeCause, describeWrongBody, QuireError } from './error.ts'
import { createHideKey, type HideKey } from './hide-key.ts'
import type { Call, ParseAs } from './method.ts'
import { findWait, isRepeatable, type RetryOptions, readRetryAfter, sleep } from './retry.ts'

export interface ClientOptions {
  /** Address of the server, such as http://127.0.0.1:8787. The version is part of the paths. */
  baseUrl: string
  /** An admin API key. */
  apiKey: string
  /** Replaces the global fetch. */
  fetch?: (request: Request) => Promise<Response>
  /** How long an attempt may take; with `parseAs: 'stream'`, until the headers arrive. Default: 30 seconds. */
  timeoutMs?: number
  /** When a GET, PUT or DELETE, a start with an `Idempotency-Key`, or a batch of visits is sent again. Other requests are sent once. */
  retry?: RetryOptions
}

/** The options of any operation. */
interface AnyOptions {
  params?: { header?: Record<string, string> }
  headers?: Record<string, string>
  body?: unknown
  parseAs?: ParseAs
  signal?: AbortSignal
}

/** The answer of any operation. */
interface AnyResult {
  status: number
  requestId: string | undefined
  response: Response
  data?: unknown
  error?: unknown
}

/** Sends a request once. Throws `QuireError` if there is no documented answer, and the reason of an aborted signal. */
type Attempt = (id: string, call: Call, options: AnyOptions) => Promise<AnyResult>

/**
 * Creates the methods of a client, one for each call of the table that is generated from a document.
 *
 * @param repeatable the operations that can be repeated without harm although their method does not say so
 * @throws {TypeError} if the address or the key cannot be used
 */
export function createMethods<Client>(
  calls: Readonly<Record<string, Call>>,
  options: ClientOptions,
  repeatable: readonly string[] = [],
): Client {
  const { attempts = 3, maxWaitMs = 10_000 } = options.retry ?? {}
  const attempt = createAttempt(options)
  const method =
    (id: string, call: Call) =>
    async (given: AnyOptions = {}) => {
      const [verb] = call
      const canRepeat = repeatable.includes(id) || isRepeatable(verb.toUpperCase(), readHeaders(given))
      const limits = { attempts: canRepeat ? attempts : 1, maxWaitMs }
      for (let count = 1; ; count++) {
        const outcome = await attempt(id, call, given).catch((error: unknown) => {
          if (error instanceof QuireError) return error
          throw error
        })
        const waitMs = outcome instanceof TimeoutError ? undefined : findWait(toFailure(outcome), count, limits)
        if (waitMs !== undefined) await sleep(waitMs, given.signal)
        else if (outcome instanceof QuireError) throw outcome
        else return outcome
      }
    }
  return Object.fromEntries(Object.entries(calls).map(([id, call]) => [id, method(id, call)])) as Client
}

function readHeaders({ params, headers }: AnyOptions): Headers {
  return new Headers({ ...params?.header, ...headers })
}

/**
 * Chooses how the caches of the browser and of proxies are used. For a request with `If-None-Match`, fetch otherwise adds
 * `Cache-Control: no-cache`, which asks for a 200 (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch). In this mode it adds
 * `max-age=0`. A header that is set here would need the permission of the server in browsers.
 */
function chooseCache(headers: Headers): Pick<RequestInit, 'cache'> {
  return headers.has('If-None-Match') && !headers.has('Cache-Control') ? { cache: 'no-cache' } : {}
}

/** Sends a text, such as log lines, and bytes as they are. Everything else becomes JSON. */
function chooseBody({ body, headers }: AnyOptions): object {
  const isBytes = ArrayBuffer.isView(body) || /Blob|File|ArrayBuffer/.test(Object.prototype.toString.call(body))
  if (typeof body !== 'string' && !isBytes) return {}
  return { bodySerializer: () => body, headers: { 'Content-Type': 'text/plain', ...headers } }
}

/** Not repeated, because a server that hangs once mostly hangs again. */
class TimeoutError extends QuireError {}

function toFailure(outcome: AnyResult | QuireError): Pick<QuireError, 'status' | 'retryAfterMs'> {
  if (outcome instanceof QuireError) return outcome
  return { status: outcome.status, retryAfterMs: readRetryAfter(outcome.response.headers) }
}

function createAttempt({ baseUrl, apiKey, fetch, timeoutMs = 30_000 }: ClientOptions): Attempt {
  checkAddress(baseUrl)
  checkKey(apiKey)
  const sender = createSender<Record<string, never>>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    // The API never redirects. A redirect would turn a POST into a GET.
    redirect: 'manual',
    // `fetch` is looked up at each request, so that a later replacement of the global one is used.
    fetch: request => (fetch ?? globalThis.fetch)(request),
  })
  const hide = createHideKey(apiKey)

  return async (id, [method, path, statuses], options) => {
    const { signal } = options
    signal?.throwIfAborted()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    let response: Response | undefined
    const keep = (given: { response: Response }) => {
      response = given.response
    }
    try {
      const answer = await sender.request(
        method,
        path as never,
        {
          ...options,
          ...chooseBody(options),
          ...chooseCache(readHeaders(options)),
          signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
          middleware: [{ onResponse: keep }],
        } as never,
      )
      const isJson = (options.parseAs ?? 'json') === 'json'
      return judge(id, statuses, answer as Omit<AnyResult, 'status' | 'requestId'>, { isJson, hide })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof QuireError) throw error
      const details = { requestId: readRequestId(response, hide) }
      if (timeout.signal.aborted) {
        throw new TimeoutError(id, `the server did not answer within ${timeoutMs / 1000} seconds.`, details)
      }
      if (error instanceof SyntaxError && response) {
        throw new QuireError(id, `the body of the answer ${response.status} is not JSON.`, {
          ...details,
          status: response.status,
        })
      }
      const missing = response ? 'the answer broke off' : 'no answer'
      throw new QuireError(id, `${missing}: ${hide.text(describeCause(error))}.`, details)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A server may repeat anything that it was sent, also in this header. */
function readRequestId(response: Response | undefined, hide: HideKey): string | undefined {
  const id = response?.headers.get('X-Request-Id')
  return id ? hide.text(id) : undefined
}

/** Returns the answer if the document lists it. */
function judge(
  id: string,
  statuses: readonly number[],
  answer: Omit<AnyResult, 'status' | 'requestId'>,
  { isJson, hide }: { isJson: boolean; hide: HideKey },
): AnyResult {
  const { response } = answer
  const { status, headers, ok } = response
  const [data, error] = [hide.json(answer.data), hide.json(answer.error)]
  const requestId = readRequestId(response, hide)
  if (statuses.includes(status)) {
    if (status === 304) return { status, requestId, response }
    // With another parseAs than json, the data is a text, a stream or bytes, of any length.
    if (ok && (isJson ? isObject(data) : data !== undefined)) return { status, requestId, response, data }
    if (!ok && isObject(error)) return { status, requestId, response, error }
  }
  throw new QuireError(id, describeUnlisted(statuses, response), {
    status,
    body: ok ? data : error,
    requestId,
    retryAfterMs: readRetryAfter(headers),
  })
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function describeUnlisted(statuses: readonly number[], { status }: Response): string {
  // A browser hides the status of a redirect that is not followed.
  if (status === 0 || (status >= 300 && status < 400)) {
    return 'the server redirects. Use the address where the API itself answers as baseUrl.'
  }
  return statuses.includes(status)
    ? describeWrongBody(status)
    : `the server answered ${status}, which the API does not document for this operation.`
}

/** Refuses addresses that fetch would refuse with the password in its message, or that would change the paths. */
function checkAddress(baseUrl: string): void {
  const place = (globalThis as { location?: { href: string } }).location?.href
  const url = URL.canParse(baseUrl, place) ? new URL(baseUrl, place) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl is not an http or https URL. Example: http://127.0.0.1:8787')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl has a user, a password, a query or a fragment. Remove it.')
  }
}

/** Refuses keys that Headers would refuse with the key in its message. */
function checkKey(apiKey: string): void {
  if (!apiKey) throw new TypeError('apiKey is empty. Create a key on the API-keys page, or with quire keys create.')
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey has a space, a line break or a character that is not ASCII. Copy the key again.')
  }
}
