import type { Route } from '../../generated/operations.ts'
import { findNearestName } from '../base/nearest-name.ts'

/** An error that express-openapi-validator reports; `path` is a JSON pointer such as /query/limit or /body/paths/0. */
export interface ValidatorError {
  path: string
  message: string
  errorCode?: string
}

/** The fields of an operation by JSON pointer without array positions, such as /body/paths. */
export type Fields = Map<string, { example?: unknown }>

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
  const name = nameField(steps)
  const keyword = errorCode?.split('.')[0]
  const example = exampleOf(path, fields)
  if (path === '/body' || name === '') return `The request body ${message ?? 'is not valid'}.${example}`
  switch (keyword) {
    case undefined: // the validator refuses unknown query parameters without an error code
      return message.startsWith('Unknown') ? unknownField(path, name, fields) : `${name} is empty.${example}`
    case 'additionalProperties':
      return unknownField(path, name, fields)
    case 'required':
      return `${name} is missing.${example}`
    case 'pattern':
    case 'format':
      return `${name} does not have the documented format.${example}`
    default:
      return `${name} ${message}.${example}`
  }
}

function unknownField(path: string, name: string, fields: Fields): string {
  const parent = path.slice(0, path.lastIndexOf('/') + 1)
  const siblings = [...fields.keys()].filter(
    known => known.startsWith(parent) && !known.slice(parent.length).includes('/'),
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

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function exampleOf(path: string, fields: Fields): string {
  const example = fields.get(path.replaceAll(/\/\d+(?=\/|$)/g, ''))?.example
  if (example === undefined) return ''
  return ` Example: ${typeof example === 'string' ? example : JSON.stringify(example)}`
}

interface Schema {
  $ref?: string
  example?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
}
interface Parameter {
  $ref?: string
  name: string
  in: string
  example?: unknown
  schema?: Schema & { type?: string }
  /** The only media type of answers that the parameter applies to. */
  'x-media-type'?: string
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** Lists the fields of an operation, with their examples from the document. */
export function listFields(document: object, route: Route): Fields {
  const paths = (document as { paths: Record<string, Record<string, Operation> & Operation> }).paths
  const item = paths[route.path]
  const operation = item?.[route.method]
  const fields: Fields = new Map()
  for (const parameter of listParameters(document, route)) {
    const place = { header: 'headers', path: 'params' }[parameter.in] ?? parameter.in
    const name = place === 'headers' ? parameter.name.toLowerCase() : parameter.name
    fields.set(`/${place}/${name}`, { example: parameter.example })
  }
  const body = operation?.requestBody && resolve<NonNullable<Operation['requestBody']>>(document, operation.requestBody)
  const schema = body?.content['application/json']?.schema
  if (schema) addProperties(document, fields, '/body', resolve<Schema>(document, schema))
  return fields
}

/** Lists the integer query parameters of an operation. */
export function listQueryIntegers(document: object, route: Route): string[] {
  return listParameters(document, route).flatMap(({ name, in: place, schema }) =>
    place === 'query' && schema && resolve<Schema & { type?: string }>(document, schema).type === 'integer'
      ? [name]
      : [],
  )
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

function listParameters(document: object, route: Route): Parameter[] {
  const item = (document as { paths: Record<string, Record<string, Operation> & Operation> }).paths[route.path]
  const given = [...(item?.parameters ?? []), ...(item?.[route.method]?.parameters ?? [])]
  return given.map(parameter => resolve<Parameter>(document, parameter))
}

function addProperties(document: object, fields: Fields, path: string, schema: Schema): void {
  for (const [name, given] of Object.entries(schema.properties ?? {})) {
    const property = resolve<Schema>(document, given)
    fields.set(`${path}/${name}`, { example: property.example ?? property.examples?.[0] })
    addProperties(document, fields, `${path}/${name}`, property)
  }
}

function resolve<T>(document: object, value: object): T {
  const pointer = (value as { $ref?: string }).$ref
  if (pointer === undefined) return value as T
  const target = pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((node, step) => (node as Record<string, unknown>)[unescapeStep(step)], document)
  return resolve(document, target as object)
}
