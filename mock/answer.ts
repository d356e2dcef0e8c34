import type { IncomingHttpHeaders } from 'node:http'
import type { AnyRoute as Route } from '../generated/operations.ts'
import { type ErrorBody, finishError, prefersProblem, problemJson, toErrorBody } from '../server/http/error-body.ts'
import { HttpError } from '../server/http/http-error.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Creates the answer of an error of the server. `createFront` adds the request id. */
export function answerError(route: Route | undefined, error: HttpError): Answer {
  const headers = Object.entries(error.headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    status: error.status,
    headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(toErrorBody(error, route))),
  }
}

/** Headers that the document declares for CSV only. */
const csvHeaders = ['visitor-totals', 'content-disposition']

/** Removes what Prism adds to every answer: its own CORS headers, and the headers of a replay, of CSV and of an answer that was held. */
export function dropPrismHeaders(headers: IncomingHttpHeaders, prefer: string | undefined): IncomingHttpHeaders {
  const isReplay = /\bexample=startedBefore\b/.test(prefer ?? '')
  const isCsv = headers['content-type']?.startsWith('text/csv') ?? false
  const isDropped = (name: string) =>
    name.startsWith('access-control-') ||
    name === 'vary' ||
    name === 'preference-applied' ||
    (name === 'idempotency-replayed' && !isReplay) ||
    (csvHeaders.includes(name) && !isCsv)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isDropped(name)))
}

/** Converts an answer to 304 if the header If-None-Match of the request names its ETag (RFC 9110, 13.1.2). */
export function answerUnchanged(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const { etag, 'cache-control': cacheControl } = answer.headers
  if (etag === undefined || ifNoneMatch === undefined) return answer
  const tags = ifNoneMatch.split(',').map(tag => tag.trim())
  const isUnchanged = tags.some(tag => tag === '*' || opaqueTag(tag) === opaqueTag(etag))
  if (!isUnchanged) return answer
  return { status: 304, headers: { etag, 'cache-control': cacheControl }, body: Buffer.alloc(0) }
}

/** Weak and strong tags are compared without the mark of weak ones. */
function opaqueTag(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** Converts the errors that Prism itself answers with. */
export function translate(route: Route, answer: Answer): Answer {
  const { title, type, detail } = readJson(answer.body) as { title?: string; type?: string; detail?: string }
  if (!type?.includes('stoplight.io')) return answer
  return answerError(
    route,
    new HttpError(answer.status, 'invalid_request', detail || title || 'Prism refused the request.'),
  )
}

/** Puts the request id into an error, and writes it as a problem if the client prefers that. */
export function finish(
  answer: Answer,
  { accept, requestId }: { accept: string | undefined; requestId: string },
): Answer {
  const { status, headers, body } = answer
  if (status < 400 || headers['content-type']?.includes('problem+json')) return answer
  const isProblem = prefersProblem(accept)
  const finished = finishError(status, readJson(body) as ErrorBody, { requestId, isProblem })
  return {
    status,
    headers: { ...headers, 'content-type': isProblem ? problemJson : 'application/json' },
    body: Buffer.from(JSON.stringify(finished)),
  }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return {}
  }
}
