import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '../generated/operations.ts'
import type { HttpError } from '../server/http/http-error.ts'
import { explainInvalid, listFields, type ValidatorError } from '../server/http/invalid-request.ts'
import { refuseUnknown } from '../server/http/routes.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Creates an error answer with the error body of the operation, with one message for each problem. */
export function refuse(
  route: Route | undefined,
  status: number,
  messages: string[],
  headers: IncomingHttpHeaders = {},
): Answer {
  const error = messages.join(' ')
  const withDetails = route?.errorShape === 'error-with-details'
  const body = withDetails ? { error, details: messages.map(message => ({ message })) } : { error }
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  }
}

/** Answers requests that match no operation: wrong methods, unknown paths. */
export function answerUnknown(method: string, target: string): Answer {
  return answerError(undefined, refuseUnknown(method, target))
}

/** Creates the answer of an error of the server. */
export function answerError(route: Route | undefined, error: HttpError): Answer {
  const headers = Object.entries(error.headers).map(([name, value]) => [name.toLowerCase(), value])
  return refuse(route, error.status, error.details, Object.fromEntries(headers))
}

/** Headers that the document declares for CSV only. */
const csvHeaders = ['visitor-totals', 'content-disposition']

/** Removes what Prism adds to every answer: its own CORS headers, and the headers of a replay and of CSV. */
export function dropPrismHeaders(headers: IncomingHttpHeaders, prefer: string | undefined): IncomingHttpHeaders {
  const isReplay = /\bexample=startedBefore\b/.test(prefer ?? '')
  const isCsv = headers['content-type']?.startsWith('text/csv') ?? false
  const isDropped = (name: string) =>
    name.startsWith('access-control-') ||
    name === 'vary' ||
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

/** Converts Prism's error answers to the error body of the contract. */
export function translate(document: object, route: Route, answer: Answer, body: Buffer): Answer {
  const violations = answer.status === 400 ? readViolations(answer.headers['sl-violations']) : []
  if (violations.length > 0) {
    const fields = listFields(document, route)
    const errors = violations.map(violation => toValidatorError(violation, [...fields.keys()]))
    const sentences = explainInvalid(errors, fields, readJson(body))
    return refuse(route, 400, sentences, answer.headers)
  }
  if (!answer.headers['content-type']?.includes('problem+json')) return answer
  const { title, detail } = JSON.parse(answer.body.toString()) as { title?: string; detail?: string }
  return refuse(route, answer.status, [detail || title || 'Prism refused the request.'], answer.headers)
}

interface Violation {
  location: string[]
  message: string
  code?: string
}

/** Returns the problems Prism found in the request; empty when Prism truncated a long list. */
function readViolations(header: string | string[] | undefined): Violation[] {
  try {
    const violations = JSON.parse(String(header ?? '[]')) as Violation[]
    return violations.filter(({ location }) => location[0] === 'request')
  } catch {
    return []
  }
}

/**
 * Writes a problem as the validator of the server does, which names a missing or unknown field in the path. Prism names no place of a
 * missing body.
 */
function toValidatorError(
  { location: [, place = 'body', ...steps], message, code }: Violation,
  known: readonly string[],
): ValidatorError {
  const start = `/${{ header: 'headers', path: 'params' }[place] ?? place}`
  const named = /(?:property|found) '([^']*)'/.exec(message)?.[1]
  const isNamed = code === 'required' || code === 'additionalProperties'
  // An unknown field without a name; the validator of the server names no place.
  if (place === 'body' && code === 'additionalProperties' && named === '') return { path: '', message, errorCode: code }
  const path = [start, ...steps, ...(isNamed && named !== undefined ? [named] : [])].join('/')
  // Prism writes the names of query parameters in lower case.
  const spelt = known.find(other => other.toLowerCase() === path.toLowerCase())
  return { path: spelt ?? path, message, errorCode: code || 'required' }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
