import { $RefParser } from '@apidevtools/json-schema-ref-parser'
import { type Body, type Document, listOperations, type Parameter, type Schema } from './document.ts'

/** A response that the document lists, free of references. */
export interface DocumentedResponse {
  operationId: string
  /** Lower case. */
  method: string
  /** Template with braces. */
  path: string
  status: number
  parameters: Parameter[]
  /** Examples of the request body by name; empty when the operation has none. */
  requestExamples: Record<string, unknown>
  schema: Schema
  /** Schema and example of each declared header. */
  headers: Record<string, { schema: Schema; example: unknown }>
  examples: Record<string, unknown>
}

/** The document with every reference replaced by what it points at; for tools that follow none, such as Dredd. */
export async function dereferenceDocument(document: Document): Promise<Document> {
  const plain = await $RefParser.dereference(structuredClone(document) as object, { dereference: { circular: false } })
  return plain as unknown as Document
}

/** Every response of every operation, in the order of the document. */
export async function listDocumentedResponses(document: Document): Promise<DocumentedResponse[]> {
  const located = listOperations(await dereferenceDocument(document))
  return located.flatMap(({ path, method, operation }) =>
    Object.entries(operation.responses).map(([status, given]) => {
      const { content, headers } = given as Body
      const json = content?.['application/json']
      if (!json) throw new Error(`${operation.operationId} ${status} has no JSON body.`)
      const request = (operation.requestBody as Body | undefined)?.content?.['application/json']
      return {
        operationId: operation.operationId,
        method,
        path,
        status: Number(status),
        parameters: (operation.parameters ?? []) as Parameter[],
        requestExamples: toValues(request?.examples),
        schema: json.schema as Schema,
        headers: (headers ?? {}) as DocumentedResponse['headers'],
        examples: toValues(json.examples),
      }
    }),
  )
}

function toValues(examples: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((examples ?? {}) as Record<string, { value: unknown }>).map(([name, { value }]) => [name, value]),
  )
}
