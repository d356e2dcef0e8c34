import type { FaultCode } from '../../generated/error-codes.ts'
import type { AnyRoute as Route } from '../../generated/operations.ts'
import { findNearestName } from '../base/nearest-name.ts'
import { describeRule, type RuledSchema } from './field-rule.ts'
import { type Fault, HttpError } from './http-error.ts'
import { chooseMediaType } from './media-type.ts'

/** A place of a request that breaks the document. */
export interface Violation {
  /** A JSON pointer such as /query/limit or /body/paths/0. */
  path: string
  keyword: Keyword
  /** The positions of two equal items, for `uniqueItems`. */
  repeated?: { first: number; second: number }
  /** The media type that a parameter does not apply to, and the one it applies to, for `unfit`. */
  media?: { asked: string; only: string }
}

/** The keywords of JSON Schema that requests are checked by, and what the server checks besides. */
export type Keyword = keyof typeof faultCodes

const faultCodes = {
  type: 'wrong_type',
  enum: 'unknown_value',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  minLength: 'wrong_length',
  maxLength: 'wrong_length',
  pattern: 'wrong_format',
  minItems: 'wrong_length',
  maxItems: 'wrong_length',
  uniqueItems: 'repeated_item',
  required: 'missing',
  additionalProperties: 'unknown_field',
  empty: 'empty',
  unfit: 'not_applicable',
} satisfies Record<string, FaultCode>

/** A field of an operation. */
export interface Field {
  example?: unknown
  /** What it must be, in words that follow "must be". */
  rule?: string | undefined
  /** Its spelling in the document; undefined if the pointer has it. */
  name?: string
}

/** The fields of an operation by JSON pointer with `*` for an array position, such as /body/paths and /body/paths/*, in their order. */
export type Fields = Map<string, Field>

/** A request with more faults is told the first of them. */
export const maxFaults = 10
const maxNameCharacters = 80

/** Returns the error of a request that breaks the document: a sentence for each violation, in the order of the document. */
export function refuseInvalid(violations: readonly Violation[], fields: Fields): HttpError {
  const order = [...fields.keys()]
  const rank = ({ path }: Violation) => {
    const at = order.indexOf(generalize(path))
    return at === -1 ? order.length : at
  }
  const faults = violations.toSorted((a, b) => rank(a) - rank(b)).map(violation => toFault(violation, fields))
  const different = faults.filter(({ message }, i) => faults.findIndex(other => other.message === message) === i)
  return refuseFaults(different.slice(0, maxFaults))
}

/** Returns the error of a request that has faults. */
export function refuseFaults(faults: Fault[]): HttpError {
  return new HttpError(400, 'invalid_request', faults.map(({ message }) => message).join(' '), {}, faults)
}

function toFault(violation: Violation, fields: Fields): Fault {
  const [, , ...steps] = violation.path.split('/')
  const field = fields.get(generalize(violation.path))?.name ?? nameField(steps)
  return {
    message: explain(violation, field, fields),
    ...(field !== '' && { field }),
    code: faultCodes[violation.keyword],
  }
}

/** Writes the field, the problem and the remedy. */
function explain({ path, keyword, repeated, media }: Violation, name: string, fields: Fields): string {
  const field = fields.get(generalize(path))
  const example = showExample(field)
  if (path.endsWith('/'))
    return `The ${path.startsWith('/body/') ? 'request body has a field' : 'query has a parameter'} without a name. Leave it out.`
  if (path === '/body') return `The request body must be a JSON object.${example}`
  switch (keyword) {
    case 'empty':
      return `${name} is empty.${example}`
    case 'unfit':
      return `${name} does not apply to ${media?.asked}. Leave it out, or accept ${media?.only}.`
    case 'additionalProperties':
      return unknownField(path, name, fields)
    case 'required':
      return `${name} is missing.${example}`
    case 'uniqueItems':
      return `${name}[${repeated?.second}] repeats ${name}[${repeated?.first}]. ${name} must be ${field?.rule}.${example}`
    default:
      return `${name} must be ${field?.rule}.${example}`
  }
}

function unknownField(path: string, name: string, fields: Fields): string {
  const parent = path.slice(0, path.lastIndexOf('/') + 1)
  const siblings = [...fields.keys()].filter(
    known => known.startsWith(parent) && !/[/*]/.test(known.slice(parent.length)),
  )
  const known = siblings.map(sibling => nameField(sibling.split('/').slice(2)))
  const kind = path.startsWith('/query/') ? 'query parameter' : 'field'
  return `${name} is not a ${kind} of this operation. ${suggestKnown(name, known)}`
}

/** Says which name was meant, if one is close, and which names there are. */
function suggestKnown(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'This operation has none.'
  const nearest = findNearestName(name, known)
  return `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Known here: ${known.join(', ')}.`
}

/** features/search -> features.search, paths/0 -> paths[0] */
function nameField(steps: readonly string[]): string {
  const name = steps
    .map((step, i) => (/^\d+$/.test(step) ? `[${step}]` : (i > 0 ? '.' : '') + unescapeStep(step)))
    .join('')
  return name.length > maxNameCharacters ? `${name.slice(0, maxNameCharacters)}...` : name
}

/** Writes a name as a step of a JSON pointer (RFC 6901). */
export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function generalize(path: string): string {
  return path.replaceAll(/\/\d+(?=\/|$)/g, '/*')
}

function showExample(field: Field | undefined): string {
  const example = field?.example
  if (example === undefined) return ''
  return ` Example: ${typeof example === 'string' ? example : JSON.stringify(example)}`
}

/** The parts of a schema that describe a field. */
export interface Schema extends RuledSchema {
  $ref?: string
  example?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
  required?: string[]
  additionalProperties?: boolean
  uniqueItems?: boolean
  default?: unknown
}
/** A parameter of an operation, as the document has it. */
export interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema?: Schema
  /** The only media type of answers that the parameter applies to. */
  'x-media-type'?: string
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** Lists the fields of an operation, with their examples from the document. */
export function listFields(document: object, route: Route): Fields {
  const fields: Fields = new Map()
  for (const parameter of listParameters(document, route)) {
    const place = { header: 'headers', path: 'params' }[parameter.in] ?? parameter.in
    const name = place === 'headers' ? parameter.name.toLowerCase() : parameter.name
    const rule = parameter.schema && describeRule(`/${place}/${name}`, resolve<Schema>(document, parameter.schema))
    fields.set(`/${place}/${name}`, { example: parameter.example, rule, name: parameter.name })
  }
  const body = findBodySchema(document, route)
  if (body) addBody(document, fields, body)
  return fields
}

/** Returns the schema of the request body; undefined for an operation without one. */
export function findBodySchema(document: object, route: Route): Schema | undefined {
  const operation = findItem(document, route)?.[route.method]
  const body = operation?.requestBody && resolve<NonNullable<Operation['requestBody']>>(document, operation.requestBody)
  const schema = body?.content['application/json']?.schema
  return schema && resolve<Schema>(document, schema)
}

/** Lists the parameters of an operation, without references. */
export function listParameters(document: object, route: Route): Parameter[] {
  const item = findItem(document, route)
  const given = [...(item?.parameters ?? []), ...(item?.[route.method]?.parameters ?? [])]
  return given.map(parameter => resolve<Parameter>(document, parameter))
}

function findItem(document: object, { path }: Route): (Record<string, Operation> & Operation) | undefined {
  return (document as { paths: Record<string, Record<string, Operation> & Operation> }).paths[path]
}

/** Adds the body with an example of its required fields, and its fields. */
function addBody(document: object, fields: Fields, schema: Schema): void {
  addProperties(document, fields, '/body', schema)
  const example = (schema.required ?? []).map(name => [name, fields.get(`/body/${name}`)?.example])
  fields.set('/body', { example: Object.fromEntries(example) })
}

function addProperties(document: object, fields: Fields, path: string, schema: Schema): void {
  for (const [name, given] of Object.entries(schema.properties ?? {})) {
    const property = resolve<Schema>(document, given)
    const inner = `${path}/${name}`
    addField(fields, inner, property)
    addProperties(document, fields, inner, property)
    if (property.items) addField(fields, `${inner}/*`, resolve<Schema>(document, property.items))
  }
}

function addField(fields: Fields, path: string, schema: Schema): void {
  fields.set(path, { example: schema.example ?? schema.examples?.[0], rule: describeRule(path, schema) })
}

/** Follows references of the document until a value is found. */
export function resolve<T>(document: object, value: object): T {
  const pointer = (value as { $ref?: string }).$ref
  if (pointer === undefined) return value as T
  const target = pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((node, step) => (node as Record<string, unknown>)[unescapeStep(step)], document)
  return resolve(document, target as object)
}

/** What of a request is needed to check its query. */
interface AskedQuery {
  query: Readonly<Record<string, unknown>>
  accept: string | undefined
}

/**
 * Creates the check of what the validator of the server accepts in a query: parameters that the media type of the answer does not
 * have, integers that occur twice, are not written in decimal digits or are too large for JavaScript (it accepts 0x10, 1e2, and
 * infinity within any bounds), unknown names (it takes `limit[]` for `limit`) and empty values.
 */
export function createQueryCheck(document: object, route: Route): (asked: AskedQuery) => Violation[] {
  const known = new Map(
    listParameters(document, route).flatMap(parameter =>
      parameter.in === 'query' ? [[parameter.name, parameter] as const] : [],
    ),
  )
  const integers = new Set(
    [...known.values()]
      .filter(({ schema }) => schema && resolve<Schema>(document, schema).type === 'integer')
      .map(({ name }) => name),
  )
  const check = (name: string, value: unknown, asked: string): Violation | undefined => {
    const parameter = known.get(name)
    const path = `/query/${escapeStep(name)}`
    if (!parameter) return { path, keyword: 'additionalProperties' }
    const only = parameter['x-media-type'] ?? asked
    if (only !== asked) return { path, keyword: 'unfit', media: { asked, only } }
    if (value === '') return { path, keyword: 'empty' }
    return integers.has(name) && !isClearInteger(value) ? { path, keyword: 'type' } : undefined
  }
  return ({ query, accept }) => {
    const asked = chooseMediaType(accept, route.mediaTypes)
    return Object.entries(query).flatMap(([name, value]) => check(name, value, asked) ?? [])
  }
}

/** A number is one that the validator of the server has converted. */
function isClearInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value)
  return typeof value === 'string' && /^(\d+|-[1-9]\d*)$/.test(value) && Number.isFinite(Number(value))
}
