/** The parts of the document (OpenAPI 3.1, parsed) that the reference pages show. */
export interface ApiDocument {
  info: { title: string; version: string }
  servers?: { url: string; variables?: Record<string, { default: string }> }[]
  paths: Record<string, Record<string, ApiOperation>>
  components: { schemas: Record<string, ApiSchema> }
}

export interface ApiOperation {
  operationId: string
  summary?: string
  description?: string
  parameters?: object[]
  requestBody?: object
  /** The scopes that each way to sign in needs. */
  security?: Record<string, string[]>[]
  responses: Record<string, object>
}

export interface ApiSchema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  format?: string
  description?: string
  properties?: Record<string, ApiSchema>
  required?: string[]
  items?: ApiSchema
  allOf?: ApiSchema[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  'x-codes'?: Record<string, { statuses?: number[]; cause: string; remedy: string }>
}

export interface ApiParameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: ApiSchema
  example?: unknown
}

export interface ApiContent {
  'x-raw-body'?: boolean
  content?: Record<string, { schema: ApiSchema; examples?: Record<string, { summary?: string; value: unknown }> }>
}

/** One operation with its place in the document. */
export interface PlacedOperation {
  path: string
  method: string
  operation: ApiOperation
}

/** Lists the operations in the order of the document. */
export function listOperations(document: ApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => typeof operation === 'object' && 'operationId' in operation)
      .map(([method, operation]) => ({ path, method, operation })),
  )
}

/** Follows `$ref` inside the document, however many there are in a row. */
export function resolveReference<T>(document: ApiDocument, value: object): T {
  const { $ref } = value as { $ref?: string }
  if ($ref === undefined) return value as T
  const steps = $ref.slice(2).split('/')
  const target = steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document)
  return resolveReference(document, target as object)
}
