import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '../generated/operations.ts'
import { findRoute } from '../server/http/routes.ts'

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
export function answerUnknown(target: string): Answer {
  const allowed = ['GET', 'POST'].filter(other => findRoute(other, target))
  if (allowed.length === 0) {
    return refuse(undefined, 404, ['There is nothing at this path. Compare it with the API reference.'])
  }
  return refuse(undefined, 405, [`This path accepts only ${allowed.join(' and ')}.`], { allow: allowed.join(', ') })
}

/** Removes what Prism adds to every answer: its own CORS headers, and the headers of a replay. */
export function dropPrismHeaders(headers: IncomingHttpHeaders, prefer: string | undefined): IncomingHttpHeaders {
  const isReplay = /\bexample=startedBefore\b/.test(prefer ?? '')
  const isDropped = (name: string) =>
    name.startsWith('access-control-') || name === 'vary' || (name === 'idempotency-replayed' && !isReplay)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isDropped(name)))
}

/** Converts Prism's error answers to the error body of the contract. */
export function translate(route: Route, answer: Answer): Answer {
  const violations = answer.status === 400 ? readViolations(answer.headers['sl-violations']) : []
  if (violations.length > 0) return refuse(route, 400, violations, answer.headers)
  if (!answer.headers['content-type']?.includes('problem+json')) return answer
  const { title, detail } = JSON.parse(answer.body.toString()) as { title?: string; detail?: string }
  return refuse(route, answer.status, [detail || title || 'Prism refused the request.'], answer.headers)
}

/** Returns the problems Prism found in the request; empty when Prism truncated a long list. */
function readViolations(header: string | string[] | undefined): string[] {
  try {
    const violations = JSON.parse(String(header ?? '[]')) as { location: string[]; message: string }[]
    return violations.filter(({ location }) => location[0] === 'request').map(({ message }) => `${message}.`)
  } catch {
    return []
  }
}
