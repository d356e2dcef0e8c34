import type { Route } from '../../generated/operations.ts'
import {
  findBodySchema,
  findUnclearIntegers,
  findUnfit,
  findUnusable,
  listBoundParameters,
  listFields,
  listParameters,
  listQueryIntegers,
  listQueryNames,
  refuseDetails,
  refuseInvalid,
  resolve,
  type Schema,
  type ValidatorError,
} from './invalid-request.ts'
import { chooseMediaType } from './media-type.ts'

/** What clients send with a request. Parameters that occur several times are lists. */
export interface InputParts {
  params: Record<string, string>
  query: Record<string, unknown>
  headers: Record<string, string | undefined>
  body: unknown
}

/**
 * Returns a function that checks the requests of an operation, adds defaults, and converts query parameters to their types. It
 * gives the answers of the validator in `validator.ts`, which needs Express and Node; this one needs neither.
 *
 * @returns a function that throws `HttpError` 400 for an invalid request
 * @throws {Error} if it cannot check the document.
 */
export function createInputCheck(document: object, route: Route): (parts: InputParts) => void {
  const fields = listFields(document, route)
  const integers = listQueryIntegers(document, route)
  const bound = listBoundParameters(document, route)
  const parameters = listCheckedParameters(document, route)
  const known = new Set(listQueryNames(document, route))
  const bodySchema = findBodySchema(document, route)
  const schemas = [...parameters.map(({ schema }) => schema), ...(bodySchema ? [bodySchema] : [])]
  for (const schema of schemas) refuseUnknownKeywords(document, schema)
  return parts => {
    const { query, headers, body } = parts
    const unfit = findUnfit(Object.keys(query), bound, chooseMediaType(headers.accept, route.mediaTypes))
    if (unfit.length > 0) throw refuseDetails(unfit)
    const unclear = findUnclearIntegers(query, integers)
    if (unclear.length > 0) throw refuseInvalid(unclear, fields)
    const unusable = findUnusable(query, known)
    if (unusable) throw refuseInvalid([unusable], fields, body)
    const errors = [
      checkParameters(document, parameters, parts),
      bodySchema && checkSchema(document, bodySchema, body, '/body'),
    ].filter(error => error !== undefined)
    if (errors.length > 0) throw refuseInvalid(errors, fields, body)
  }
}

interface CheckedParameter {
  place: 'query' | 'headers' | 'params'
  name: string
  isRequired: boolean
  schema: Schema
}

const places = ['query', 'headers', 'params'] as const

/** Lists the parameters in the order in which they are checked. */
function listCheckedParameters(document: object, route: Route): CheckedParameter[] {
  const all = listParameters(document, route).map(({ in: kind, name, required = false, schema = {} }) => {
    const place: CheckedParameter['place'] = kind === 'header' ? 'headers' : kind === 'path' ? 'params' : 'query'
    return {
      place,
      name: place === 'headers' ? name.toLowerCase() : name,
      isRequired: required,
      schema: resolve<Schema>(document, schema),
    }
  })
  return places.flatMap(place => all.filter(parameter => parameter.place === place))
}

function checkParameters(
  document: object,
  parameters: readonly CheckedParameter[],
  parts: InputParts,
): ValidatorError | undefined {
  for (const { place, name, isRequired, schema } of parameters) {
    const values: Record<string, unknown> = parts[place]
    if (values[name] === undefined && schema.default !== undefined) values[name] = schema.default
    const value = toType(schema, values[name])
    const path = `/${place}/${name}`
    if (value === undefined && isRequired)
      return { path, message: 'required', errorCode: 'required.openapi.validation' }
    if (value === undefined) continue
    const error = checkSchema(document, schema, value, path)
    if (error) return error
    values[name] = value
  }
  return undefined
}

/** Parameters arrive as text. */
function toType({ type }: Schema, value: unknown): unknown {
  return type === 'integer' && typeof value === 'string' ? Number(value) : value
}

/** The keywords that `checkSchema` knows, in the order in which the validator of the server checks them. */
const checked = [
  'type',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'maxItems',
  'items',
  'uniqueItems',
  'required',
  'additionalProperties',
  'properties',
]
const ignored = ['$ref', 'description', 'title', 'example', 'examples', 'default', 'deprecated']

/**
 * Checks that `checkSchema` knows every keyword of a schema.
 *
 * @throws {Error} that names the first one it does not know.
 */
function refuseUnknownKeywords(document: object, given: Schema): void {
  const schema = resolve<Schema>(document, given)
  const unknown = Object.keys(schema).find(
    name => !checked.includes(name) && !ignored.includes(name) && !name.startsWith('x-'),
  )
  if (unknown !== undefined) throw new Error(`server/http/input-check.ts does not know ${unknown}. Add it there.`)
  for (const inner of Object.values(schema.properties ?? {})) refuseUnknownKeywords(document, inner)
  if (schema.items) refuseUnknownKeywords(document, schema.items)
}

/**
 * Checks a JSON value and adds the defaults of missing fields. Returns the first error, which is the one that the validator of
 * the server finds. Unlike that validator, it runs where code may not be compiled at run time, and in web browsers.
 */
function checkSchema(document: object, given: Schema, value: unknown, path: string): ValidatorError | undefined {
  const schema = resolve<Schema>(document, given)
  if (schema.type !== undefined && !hasType(schema.type, value)) return fail(path, 'type')
  if (schema.enum && !schema.enum.includes(value)) return fail(path, 'enum')
  if (typeof value === 'number') return checkNumber(schema, value, path)
  if (typeof value === 'string') return checkText(schema, value, path)
  if (Array.isArray(value)) return checkItems(document, schema, value, path)
  if (typeof value === 'object' && value !== null) return checkFields(document, schema, value, path)
  return undefined
}

function fail(path: string, keyword: string, message = keyword): ValidatorError {
  return { path, message, errorCode: `${keyword}.openapi.validation` }
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      // The other types of JSON Schema have the names of JavaScript.
      return typeof value === type
  }
}

function checkNumber({ minimum, maximum }: Schema, value: number, path: string): ValidatorError | undefined {
  if (maximum !== undefined && value > maximum) return fail(path, 'maximum')
  return minimum !== undefined && value < minimum ? fail(path, 'minimum') : undefined
}

function checkText({ minLength, maxLength, pattern }: Schema, value: string, path: string): ValidatorError | undefined {
  if (maxLength !== undefined && countCharacters(value) > maxLength) return fail(path, 'maxLength')
  if (minLength !== undefined && countCharacters(value) < minLength) return fail(path, 'minLength')
  return pattern !== undefined && !compile(pattern).test(value) ? fail(path, 'pattern') : undefined
}

/** JSON Schema counts Unicode characters, and JavaScript counts UTF-16 code units. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const patterns = new Map<string, RegExp>()

/** Compiles each pattern of the document once. */
function compile(pattern: string): RegExp {
  const known = patterns.get(pattern)
  if (known) return known
  const compiled = new RegExp(pattern, 'u')
  patterns.set(pattern, compiled)
  return compiled
}

function checkItems(
  document: object,
  { maxItems, uniqueItems, items }: Schema,
  values: readonly unknown[],
  path: string,
): ValidatorError | undefined {
  if (maxItems !== undefined && values.length > maxItems) return fail(path, 'maxItems')
  for (const [i, value] of items ? values.entries() : []) {
    const error = items && checkSchema(document, items, value, `${path}/${i}`)
    if (error) return error
  }
  const repeated = uniqueItems ? findRepeated(values) : undefined
  if (repeated) return fail(path, 'uniqueItems', `items ## ${repeated.second} and ${repeated.first} are identical`)
  return undefined
}

/** Finds two equal texts. The search begins at the end, as in the validator of the server. */
function findRepeated(values: readonly unknown[]): { first: number; second: number } | undefined {
  const places = new Map<string, number>()
  for (let first = values.length - 1; first >= 0; first--) {
    const value = values[first]
    if (typeof value !== 'string') continue
    const second = places.get(value)
    if (second !== undefined) return { first, second }
    places.set(value, first)
  }
  return undefined
}

function checkFields(
  document: object,
  { properties = {}, required = [], additionalProperties }: Schema,
  value: object,
  path: string,
): ValidatorError | undefined {
  const fields = value as Record<string, unknown>
  for (const [name, property] of Object.entries(properties)) {
    const byDefault = resolve<Schema>(document, property).default
    if (fields[name] === undefined && byDefault !== undefined) fields[name] = byDefault
  }
  const missing = required.find(name => fields[name] === undefined)
  if (missing !== undefined) return fail(`${path}/${missing}`, 'required')
  const unknown = Object.keys(fields).find(name => !Object.hasOwn(properties, name))
  // The validator of the server names no place of a field without a name.
  if (additionalProperties === false && unknown !== undefined)
    return fail(unknown === '' ? '' : `${path}/${unknown}`, 'additionalProperties')
  for (const [name, property] of Object.entries(properties)) {
    if (fields[name] === undefined) continue
    const error = checkSchema(document, property, fields[name], `${path}/${name}`)
    if (error) return error
  }
  return undefined
}
