import { type Body, type Document, listOperations, resolve } from './document.ts'

const problemJson = 'application/problem+json'

interface ErrorBody {
  error: string
  details?: { message: string; field?: string; code?: string }[]
  code: string
  requestId: string
}

/** A code of errors, or of faults of a field, as `x-codes` in the document describes it. */
export interface Code {
  statuses?: number[]
  cause: string
  remedy: string
}

/**
 * Adds to each error of a document the form of RFC 9457, with the first example of its JSON in that form. The rule is the same
 * for all errors, so spec/ does not write it down for each. Returns the document.
 */
export function addProblems(document: Document): Document {
  const titles = listCodes(document, 'ErrorCode')
  const statuses = new Map<Body, string>()
  for (const { operation } of listOperations(document)) {
    for (const [status, given] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue
      const response = resolve<Body>(document, given)
      const known = statuses.get(response) ?? status
      if (known !== status)
        throw new Error(`One response is used for ${known} and ${status}. Write one for each status.`)
      statuses.set(response, status)
    }
  }
  for (const [response, status] of statuses) {
    const [example] = Object.values(response.content?.['application/json']?.examples ?? {})
    if (!response.content || !example) throw new Error(`An error with the status ${status} has no example.`)
    const { summary, value } = resolve<{ summary?: string; value: unknown }>(document, example)
    const body = value as ErrorBody
    const title = titles[body.code]?.cause
    if (title === undefined) throw new Error(`${body.code} is not a code of spec/schemas/ErrorCode.yaml. Add it there.`)
    response.content[problemJson] = {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: { problem: { ...(summary && { summary }), value: toProblem(body, title, Number(status)) } },
    }
  }
  return document
}

/** Lists the codes of a schema, such as ErrorCode, with what the document says about them. */
export function listCodes(document: Document, schema: string): Record<string, Code> {
  const { 'x-codes': codes } = (document.components.schemas?.[schema] ?? {}) as { 'x-codes'?: Record<string, Code> }
  if (!codes) throw new Error(`The schema ${schema} has no x-codes.`)
  return codes
}

function toProblem({ error, details, code, requestId }: ErrorBody, title: string, status: number): object {
  const errors = code === 'invalid_request' && details?.map(({ message, ...rest }) => ({ detail: message, ...rest }))
  return { type: `/docs/errors#${code}`, title, status, detail: error, code, requestId, ...(errors && { errors }) }
}

/** Writes the text of generated/error-codes.ts: the codes of errors, and those of faults of a field. */
export function writeErrorCodes(document: Document): string {
  const causes = Object.entries(listCodes(document, 'ErrorCode')).map(
    ([code, { cause }]) => `  ${code}: ${JSON.stringify(cause)},`,
  )
  const faults = Object.keys(listCodes(document, 'FaultCode')).map(code => `  | '${code}'`)
  return `/** The cause that each code of an error stands for. */
export const errorCauses = {
${causes.join('\n')}
} as const

/** Names why a request was refused or failed. */
export type ErrorCode = keyof typeof errorCauses

/** Names what is wrong with a field of a request. */
export type FaultCode =
${faults.join('\n')}
`
}
