import type { AnyRoute as Route } from '../../generated/operations.ts'
import {
  createQueryCheck,
  escapeStep,
  findBodySchema,
  listFields,
  listParameters,
  maxFaults,
  refuseInvalid,
  resolve,
  type Schema,
  type Violation,
} from './invalid-request.ts'

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
 * @returns a function that throws `HttpError` 400 with all faults of an invalid request
 * @throws {Error} if it cannot check the document.
 */
export function createInputCheck(document: object, route: Route): (parts: InputParts) => void {
  const fields = listFields(document, route)
  const checkQuery = createQueryCheck(document, route)
  const parameters = listCheckedParameters(document, route)
  const bodySchema = route.isRaw ? undefined : findBodySchema(document, route)
  const schemas = [...parameters.map(({ schema }) => schema), ...(bodySchema ? [bodySchema] : [])]
  for (const schema of schemas) refuseUnknownKeywords(document, schema)
  return parts => {
    const { query, headers, body } = parts
    const found = new Found(document, checkQuery({ query, accept: headers.accept }))
    found.checkParameters(parameters, parts)
    if (bodySchema) found.checkSchema(bodySchema, body, '/body')
    if (found.violations.length > 0) throw refuseInvalid(found.violations, fields)
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
  'minItems',
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
 * The violations of a request. Its methods check values and add the defaults of missing fields. Unlike the validator of the server, they
 * run where code may not be compiled at run time, and in web browsers. They stop soon after `maxFaults` violations.
 */
class Found {
  readonly #document: object
  readonly violations: Violation[]
  constructor(document: object, violations: Violation[]) {
    this.#document = document
    this.violations = violations
  }

  checkParameters(parameters: readonly CheckedParameter[], parts: InputParts): void {
    const known = new Set(this.violations.map(({ path }) => path))
    for (const { place, name, isRequired, schema } of parameters) {
      const values: Record<string, unknown> = parts[place]
      const path = `/${place}/${name}`
      if (known.has(path)) continue
      if (values[name] === undefined && schema.default !== undefined) values[name] = schema.default
      const value = toType(schema, values[name])
      if (value === undefined && isRequired) this.#add(path, 'required')
      if (value === undefined) continue
      this.checkSchema(schema, value, path)
      values[name] = value
    }
  }

  checkSchema(given: Schema, value: unknown, path: string): void {
    const schema = resolve<Schema>(this.#document, given)
    if (schema.type !== undefined && !hasType(schema.type, value)) this.#add(path, 'type')
    else if (schema.enum && !schema.enum.includes(value)) this.#add(path, 'enum')
    else if (typeof value === 'number') this.#checkNumber(schema, value, path)
    else if (typeof value === 'string') this.#checkText(schema, value, path)
    else if (Array.isArray(value)) this.#checkItems(schema, value, path)
    else if (typeof value === 'object' && value !== null) this.#checkFields(schema, value, path)
  }

  #add(path: string, keyword: Violation['keyword'], more: Pick<Violation, 'repeated'> = {}): void {
    this.violations.push({ path, keyword, ...more })
  }

  #checkNumber({ minimum, maximum }: Schema, value: number, path: string): void {
    if (maximum !== undefined && value > maximum) this.#add(path, 'maximum')
    else if (minimum !== undefined && value < minimum) this.#add(path, 'minimum')
  }

  #checkText({ minLength, maxLength, pattern }: Schema, value: string, path: string): void {
    if (maxLength !== undefined && countCharacters(value) > maxLength) this.#add(path, 'maxLength')
    else if (minLength !== undefined && countCharacters(value) < minLength) this.#add(path, 'minLength')
    else if (pattern !== undefined && !compile(pattern).test(value)) this.#add(path, 'pattern')
  }

  #checkItems({ minItems = 0, maxItems, uniqueItems, items }: Schema, values: readonly unknown[], path: string): void {
    if (values.length < minItems) this.#add(path, 'minItems')
    if (maxItems !== undefined && values.length > maxItems) this.#add(path, 'maxItems')
    for (const [i, value] of items ? values.entries() : []) {
      if (this.violations.length >= maxFaults) return
      if (items) this.checkSchema(items, value, `${path}/${i}`)
    }
    const repeated = uniqueItems ? findRepeated(values) : undefined
    if (repeated) this.#add(path, 'uniqueItems', { repeated })
  }

  #checkFields({ properties = {}, required = [], additionalProperties }: Schema, value: object, path: string): void {
    const fields = value as Record<string, unknown>
    for (const [name, property] of Object.entries(properties)) {
      const byDefault = resolve<Schema>(this.#document, property).default
      if (fields[name] === undefined && byDefault !== undefined) fields[name] = byDefault
      if (fields[name] !== undefined) this.checkSchema(property, fields[name], `${path}/${name}`)
      else if (required.includes(name)) this.#add(`${path}/${name}`, 'required')
    }
    if (additionalProperties !== false) return
    const unknown = Object.keys(fields).filter(name => !Object.hasOwn(properties, name))
    for (const name of unknown.slice(0, maxFaults)) this.#add(`${path}/${escapeStep(name)}`, 'additionalProperties')
  }
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
