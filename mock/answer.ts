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
    headers: { 'access-control-allow-origin': '*', ...headers, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  }
}

/** Answers requests that match no operation: CORS preflights, wrong methods, unknown paths. */
export function answerUnknown(method: string, target: string, requestHeaders: IncomingHttpHeaders): Answer {
  const allowed = ['GET', 'POST'].filter(other => findRoute(other, target))
  if (allowed.length === 0) {
    return refuse(undefined, 404, ['There is nothing at this path. Compare it with the API reference.'])
  }
  if (method !== 'OPTIONS') {
    return refuse(undefined, 405, [`This path accepts only ${allowed.join(' and ')}.`], { allow: allowed.join(', ') })
  }
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': allowed.join(', '),
    'access-control-allow-headers': String(requestHeaders['access-control-request-headers'] ?? '*'),
  }
  return { status: 204, headers, body: Buffer.alloc(0) }
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
