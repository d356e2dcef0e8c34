import { $RefParser } from '@apidevtools/json-schema-ref-parser'
import { type Body, type Document, listOperations, type Parameter, type Schema } from './document.ts'

/** A response that the document lists, in one media type, without references. */
export interface DocumentedResponse {
  operationId: string
  /** Lower case. */
  method: string
  /** Path template, such as /v1/static-export/jobs/{jobId}. */
  path: string
  status: number
  parameters: Parameter[]
  /** Examples of the request body by name; empty when the operation has none. */
  requestExamples: Record<string, unknown>
  /** undefined = the response has no body. */
  mediaType: string | undefined
  /** A schema that refuses every value if there is no body. */
  schema: Schema
  /** Each declared header; those that are not required are in some answers only. */
  headers: Record<string, { schema: Schema; example: unknown; required?: boolean }>
  examples: Record<string, unknown>
}

/** Replaces every reference of the document by its target, for tools that do not follow references, such as Dredd. */
export async function dereferenceDocument(document: Document): Promise<Document> {
  const plain = await $RefParser.dereference(structuredClone(document) as object, { dereference: { circular: false } })
  return plain as unknown as Document
}

/** Returns all responses of all operations in each of their media types, in the order of the document. */
export async function listDocumentedResponses(document: Document): Promise<DocumentedResponse[]> {
  const located = listOperations(await dereferenceDocument(document))
  return located.flatMap(({ path, method, operation }) =>
    Object.entries(operation.responses).flatMap(([status, given]): DocumentedResponse[] => {
      const { content, headers } = given as Body
      if (!content && status !== '304' && status !== '204') {
        throw new Error(`The ${status} response of ${operation.operationId} has no body.`)
      }
      const request = (operation.requestBody as Body | undefined)?.content?.['application/json']
      const common = {
        operationId: operation.operationId,
        method,
        path,
        status: Number(status),
        parameters: (operation.parameters ?? []) as Parameter[],
        requestExamples: toValues(request?.examples),
        headers: (headers ?? {}) as DocumentedResponse['headers'],
      }
      if (!content) return [{ ...common, mediaType: undefined, schema: { not: {} }, examples: {} }]
      return Object.entries(content).map(([mediaType, { schema, examples }]) => ({
        ...common,
        mediaType,
        schema: schema as Schema,
        examples: toValues(examples),
      }))
    }),
  )
}

function toValues(examples: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((examples ?? {}) as Record<string, { value: unknown }>).map(([name, { value }]) => [name, value]),
  )
}
