import type { Route } from '../../generated/operations.ts'
import { findNearestName } from '../base/nearest-name.ts'
import { describeRule, type RuledSchema } from './field-rule.ts'
import { HttpError } from './http-error.ts'

/** An error that express-openapi-validator reports; `path` is a JSON pointer such as /query/limit or /body/paths/0. */
export interface ValidatorError {
  path: string
  message: string
  errorCode?: string
}

/** A field of an operation. */
export interface Field {
  example?: unknown
  /** What it must be, in words that follow "must be". */
  rule?: string | undefined
  /** Its spelling in the document; undefined if the pointer has it. */
  name?: string
}

/** The fields of an operation by JSON pointer with `*` for an array position, such as /body/paths and /body/paths. */
export type Fields = Map<string, Field>

const maxExplained = 10
const maxNameCharacters = 80

/** Writes one sentence per error: the field, the problem and the remedy. */
export function explainInvalid(errors: readonly ValidatorError[], fields: Fields, body?: unknown): string[] {
  const all = errors.slice(0, maxExplained).flatMap(error => [error, ...findMisspelt(error, fields, body)])
  const sentences = all.map(error => explain(error, fields))
  return [...new Set(sentences)]
}

/** Finds the unknown field that stands for a missing one. The validator stops at the missing field, before it finds this one. */
function findMisspelt({ path, errorCode }: ValidatorError, fields: Fields, body: unknown): ValidatorError[] {
  const missing = /^\/body\/([^/]+)$/.exec(path)?.[1]
  if (!errorCode?.startsWith('required.') || missing === undefined || body === null || typeof body !== 'object')
    return []
  const unknown = Object.keys(body).filter(name => !fields.has(`/body/${name}`))
  const misspelt = findNearestName(missing, unknown.slice(0, maxExplained))
  return misspelt === undefined
    ? []
    : [{ path: `/body/${escapeStep(misspelt)}`, message: '', errorCode: 'additionalProperties' }]
}

function explain({ path, message, errorCode }: ValidatorError, fields: Fields): string {
  const [, , ...steps] = path.split('/')
  const field = findField(path, fields)
  const name = field?.name ?? nameField(steps)
  const keyword = errorCode?.split('.')[0]
  const example = showExample(field)
  if (path === '' || path === '/query/')
    return `The ${path === '' ? 'request body has a field' : 'query has a parameter'} without a name. Leave it out.`
  if (path === '/body') return `The request body must be a JSON object.${showExample(fields.get('/body'))}`
  switch (keyword) {
    case undefined: // the validator refuses unknown query parameters without an error code
      return message.startsWith('Unknown') ? unknownField(path, name, fields) : `${name} is empty.${example}`
    case 'additionalProperties':
      return unknownField(path, name, fields)
    case 'required':
      return `${name} is missing.${example}`
    case 'uniqueItems':
      return `${explainRepeated(name, message)}${name} must be ${field?.rule}.${example}`
    default:
      return `${name} ${field?.rule === undefined ? message : `must be ${field.rule}`}.${example}`
  }
}

/** The validator names the two positions: `items ## 2 and 0 are identical`. */
function explainRepeated(name: string, message: string): string {
  const [, second, first] = /## (\d+) and (\d+)/.exec(message) ?? []
  return first === undefined ? '' : `${name}[${second}] repeats ${name}[${first}]. `
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
export function suggestKnown(name: string, known: readonly string[]): string {
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

function findField(path: string, fields: Fields): Field | undefined {
  return fields.get(path.replaceAll(/\/\d+(?=\/|$)/g, '/*'))
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

/** Lists the integer query parameters of an operation. */
export function listQueryIntegers(document: object, route: Route): string[] {
  return listParameters(document, route).flatMap(({ name, in: place, schema }) =>
    place === 'query' && schema && resolve<Schema>(document, schema).type === 'integer' ? [name] : [],
  )
}

/** Lists the names of the query parameters of an operation. */
export function listQueryNames(document: object, route: Route): string[] {
  return listParameters(document, route).flatMap(({ name, in: place }) => (place === 'query' ? [name] : []))
}

/** Lists the parameters that apply to answers of one media type only, with that type. */
export function listBoundParameters(document: object, route: Route): Map<string, string> {
  return new Map(
    listParameters(document, route).flatMap(({ name, 'x-media-type': mediaType }) =>
      mediaType === undefined ? [] : [[name, mediaType]],
    ),
  )
}

/** Writes a sentence for each given parameter that does not apply to answers of the media type. */
export function findUnfit(given: readonly string[], bound: ReadonlyMap<string, string>, mediaType: string): string[] {
  return given
    .filter(name => (bound.get(name) ?? mediaType) !== mediaType)
    .map(name => `${name} does not apply to ${mediaType}. Leave it out, or accept ${bound.get(name)}.`)
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

/** Returns the error of a request that breaks the contract. */
export function refuseInvalid(errors: readonly ValidatorError[], fields: Fields, body?: unknown): HttpError {
  return refuseDetails(explainInvalid(errors, fields, body))
}

/** Returns the error of a request that breaks the contract, from a sentence for each problem. */
export function refuseDetails(details: string[]): HttpError {
  return new HttpError(400, details.join(' '), {}, details)
}

/**
 * Finds integers that occur twice, are not written in decimal digits or are too large for JavaScript. The validator accepts all that
 * JavaScript converts, such as 0x10 and 1e2, and infinity within any bounds.
 */
export function findUnclearIntegers(
  query: Readonly<Record<string, unknown>>,
  names: readonly string[],
): ValidatorError[] {
  return names.flatMap(name => {
    const value = query[name]
    if (value === undefined || value === '') return []
    const isUnclear = typeof value !== 'string' || !/^(\d+|-[1-9]\d*)$/.test(value) || !Number.isFinite(Number(value))
    return isUnclear
      ? [{ path: `/query/${name}`, message: 'must be integer', errorCode: 'type.openapi.validation' }]
      : []
  })
}

/**
 * Finds a query parameter that is unknown or has no value. The validator of the server does that, too, but it takes `limit[]` for
 * `limit`.
 */
export function findUnusable(
  query: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): ValidatorError | undefined {
  for (const [name, value] of Object.entries(query)) {
    if (!known.has(name)) return { path: `/query/${escapeStep(name)}`, message: 'Unknown query parameter' }
    if (value === '') return { path: `/query/${name}`, message: 'Empty value' }
  }
  return undefined
}
