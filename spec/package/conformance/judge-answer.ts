import type { CheckName } from './checks.ts'
import { type Answer, type Request, readJson, readMediaType, readText } from './exchange.ts'
import type { DocumentedResponse, Operation } from './operations.ts'
import { findFaults } from './schema/check-value.ts'
import { listTypes, type Schema } from './schema/schema.ts'

/** What a check says about an answer: undefined = it passed. */
export type Verdict = readonly [check: CheckName, fault: string | undefined]

/** Compares an answer of an operation with the document. */
export function judgeAnswer(operation: Operation, request: Request, answer: Answer): Verdict[] {
  const { status } = answer
  // The document says so of an operation that a server does not offer.
  const isFault = status >= 500 && !(status === 501 && operation.responses.has(status))
  const verdicts: Verdict[] = [
    ['not_a_server_error', isFault ? `The server answered ${status}${quoteError(answer)}.` : undefined],
    ['request_id', judgeRequestId(request, answer)],
  ]
  const documented = operation.responses.get(status)
  if (!documented) {
    const list = [...operation.responses.keys()].join(', ')
    return [...verdicts, ['status_code_conformance', `The status ${status} is not documented. Documented: ${list}.`]]
  }
  verdicts.push(['status_code_conformance', undefined])
  verdicts.push(['response_headers_conformance', judgeHeaders(documented, answer)])
  return [...verdicts, ...judgeBody(documented, answer)]
}

function judgeRequestId({ headers }: Request, answer: Answer): string | undefined {
  const sent = headers['X-Request-Id']
  const received = answer.headers['x-request-id']
  if (sent === undefined || received === undefined) return undefined
  if (/^[A-Za-z0-9._-]{1,128}$/.test(sent)) {
    return received === sent ? undefined : 'The answer does not have the X-Request-Id of the request.'
  }
  return received === sent ? 'The answer repeats an X-Request-Id that is not safe in a log.' : undefined
}

function judgeHeaders({ headers }: DocumentedResponse, answer: Answer): string | undefined {
  const faults = headers.flatMap(({ name, schema, required }) => {
    const value = answer.headers[name.toLowerCase()]
    if (value === undefined) return required ? [`the header ${name} is missing`] : []
    return findFaults(schema, readTyped(schema, value), name)
  })
  return faults.length === 0 ? undefined : `In the answer ${answer.status}, ${faults.slice(0, 3).join('; ')}.`
}

/** Headers are texts, and some schemas are of numbers. */
function readTyped(schema: Schema, value: string): unknown {
  return listTypes(schema).includes('integer') && /^-?\d+$/.test(value) ? Number(value) : value
}

function judgeBody({ content }: DocumentedResponse, answer: Answer): Verdict[] {
  const { status, body } = answer
  if (content.size === 0) {
    const fault = body.length > 0 ? `The answer ${status} has a body, and its document has none.` : undefined
    return [['response_schema_conformance', fault]]
  }
  const mediaType = readMediaType(answer)
  const schema = content.get(mediaType)
  if (!schema) {
    const given = mediaType === '' ? 'no Content-Type' : `the Content-Type ${mediaType}`
    const list = [...content.keys()].join(' or ')
    return [['content_type_conformance', `The answer ${status} has ${given} instead of ${list}.`]]
  }
  return [
    ['content_type_conformance', undefined],
    ['response_schema_conformance', judgeSchema(schema, mediaType, answer)],
  ]
}

function judgeSchema(schema: Schema, mediaType: string, answer: Answer): string | undefined {
  const isJson = mediaType === 'application/json'
  const value = isJson ? readJson(answer) : readText(answer)
  if (value === undefined) return `The body of the answer ${answer.status} is not valid JSON.`
  const faults = findFaults(schema, value)
  return faults.length === 0 ? undefined : `In the answer ${answer.status}, ${faults.slice(0, 3).join('; ')}.`
}

/** Returns the error of a body for a sentence, in parentheses. */
export function quoteError(answer: Answer): string {
  const { error } = (readJson(answer) ?? {}) as { error?: unknown }
  return typeof error === 'string' ? ` (${error.replace(/\.$/, '')})` : ''
}
