import { refuseUnknownKeywords, type Schema } from './schema/schema.ts'

/** An operation of the document, without references. */
export interface Operation {
  id: string
  /** Upper case. */
  method: string
  /** Path template, such as /v1/static-export/jobs/{jobId}. */
  path: string
  parameters: readonly Parameter[]
  /** undefined = the operation has no request body. */
  body: { schema: Schema; examples: readonly unknown[] } | undefined
  /** Texts that are sent as they are, by their media type. */
  texts: readonly (readonly [mediaType: string, text: string])[]
  responses: ReadonlyMap<number, DocumentedResponse>
  scopes: readonly string[]
  budget: Budget | undefined
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema: Schema
  /** The only media type of answers that the parameter applies to. */
  'x-media-type'?: string
}

export interface DocumentedResponse {
  /** The schemas of the body by media type; empty = there is no body. */
  content: ReadonlyMap<string, Schema>
  headers: readonly { name: string; schema: Schema; required: boolean }[]
}

/** A rate limit that operations share. */
export interface Budget {
  name: string
  quota: number
  windowSeconds: number
}

/** The operations by id. The kit knows the rules of these; a document that lacks one is another API. */
export interface Operations {
  getAgentJob: Operation
  getUniqueVisitors: Operation
  startStaticExportJob: Operation
  getStaticExportJob: Operation
  generateStaticExportBundle: Operation
}

const names: readonly (keyof Operations)[] = [
  'getAgentJob',
  'getUniqueVisitors',
  'startStaticExportJob',
  'getStaticExportJob',
  'generateStaticExportBundle',
]

/**
 * Reads the operations of the document.
 *
 * @throws {Error} if it is another document, or has a schema that the kit cannot check
 */
export function readOperations(document: object): Operations {
  const found = Object.fromEntries(listOperations(document).map(operation => [operation.id, operation]))
  const missing = names.find(name => !found[name])
  if (missing !== undefined) throw new Error(`The document has no operation ${missing}.`)
  return found as unknown as Operations
}

/**
 * Reads the operations of the second document, of what Quire adds.
 *
 * @throws {Error} if it is another document, or has a schema that the kit cannot check
 */
export function readExtensions(document: object): Operation[] {
  const listed = listOperations(document)
  if (listed.some(({ path }) => path.startsWith('/quire/'))) return listed
  throw new Error('The document of the extensions has no path below /quire/.')
}

function listOperations(document: object): Operation[] {
  const plain = inline(document, document) as PlainDocument
  return Object.entries(plain.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => typeof operation.operationId === 'string')
      .map(([method, operation]) => toOperation(plain, path, method, operation)),
  )
}

interface PlainDocument {
  paths: Record<string, Record<string, PlainOperation>>
  'x-rate-limits'?: Record<string, { quota: number; windowSeconds: number }>
}
interface PlainOperation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, PlainContent> }
  responses: Record<string, PlainResponse>
  security?: Record<string, string[]>[]
  'x-rate-limit'?: string
}
interface PlainResponse {
  headers?: Record<string, { schema: Schema; required?: boolean }>
  content?: Record<string, PlainContent>
}
interface PlainContent {
  schema: Schema
  examples?: Record<string, { value: unknown }>
}

function toOperation(document: PlainDocument, path: string, method: string, operation: PlainOperation): Operation {
  const { operationId, parameters = [], requestBody, responses, security = [] } = operation
  const json = requestBody?.content['application/json']
  const budget = operation['x-rate-limit']
  const limit = budget === undefined ? undefined : document['x-rate-limits']?.[budget]
  for (const { schema } of parameters) refuseUnknownKeywords(schema)
  if (json) refuseUnknownKeywords(json.schema)
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    body: json && {
      schema: json.schema,
      examples: Object.values(json.examples ?? {}).map(({ value }) => value),
    },
    texts: json ? [] : listTexts(requestBody?.content ?? {}),
    responses: new Map(Object.entries(responses).map(([status, given]) => [Number(status), toResponse(given)])),
    scopes: security.flatMap(scheme => Object.values(scheme).flat()),
    budget: budget !== undefined && limit ? { name: budget, ...limit } : undefined,
  }
}

function listTexts(content: Record<string, PlainContent>): [string, string][] {
  return Object.entries(content).flatMap(([mediaType, { examples = {} }]) =>
    Object.values(examples).map(({ value }): [string, string] => [mediaType, String(value)]),
  )
}

function toResponse({ headers = {}, content = {} }: PlainResponse): DocumentedResponse {
  for (const { schema } of [...Object.values(headers), ...Object.values(content)]) refuseUnknownKeywords(schema)
  return {
    content: new Map(Object.entries(content).map(([mediaType, { schema }]) => [mediaType, schema])),
    headers: Object.entries(headers).map(([name, { schema, required = false }]) => ({ name, schema, required })),
  }
}

/** Replaces every reference by its target. The document has no circular references. */
function inline(document: object, node: unknown): unknown {
  if (Array.isArray(node)) return node.map(item => inline(document, item))
  if (node === null || typeof node !== 'object') return node
  const { $ref } = node as { $ref?: unknown }
  if (typeof $ref === 'string') return inline(document, find(document, $ref))
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, inline(document, value)]))
}

function find(document: object, reference: string): unknown {
  const steps = reference.slice('#/'.length).split('/')
  const target = steps
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], document)
  if (target === undefined) throw new Error(`The document has nothing at ${reference}.`)
  return target
}
