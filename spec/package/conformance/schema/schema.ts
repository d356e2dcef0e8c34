/** The part of JSON Schema 2020-12 that the document uses, without references. */
export interface Schema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean
  default?: unknown
  examples?: readonly unknown[]
}

const checked = [
  'type',
  'enum',
  'const',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'items',
  'properties',
  'required',
  'additionalProperties',
]
const annotations = ['default', 'examples', 'description', 'title']
const known = new Set([...checked, ...annotations])

/** Throws for a keyword that the kit cannot check, because a check that is silently left out proves nothing. */
export function refuseUnknownKeywords(schema: Schema): void {
  for (const name of Object.keys(schema)) {
    if (!known.has(name) && !name.startsWith('x-')) {
      throw new Error(`The document has a schema with ${name}. The conformance kit cannot check this keyword.`)
    }
  }
  for (const inner of Object.values(schema.properties ?? {})) refuseUnknownKeywords(inner)
  if (schema.items) refuseUnknownKeywords(schema.items)
}

/** Lists the types that a value of the schema may have; empty = any. */
export function listTypes({ type }: Schema): readonly string[] {
  if (type === undefined) return []
  return typeof type === 'string' ? [type] : type
}
