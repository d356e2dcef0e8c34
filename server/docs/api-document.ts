export interface ApiDocument {
  info: { title: string; version: string }
  paths: Record<string, Record<string, ApiOperation>>
  components: { schemas: Record<string, ApiSchema> }
}

export interface ApiOperation {
  operationId: string
  summary?: string
  description?: string
  parameters?: object[]
  requestBody?: object
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
  default?: unknown
}
