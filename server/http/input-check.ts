import type { Route } from '../../generated/operations.ts'
import { checkSchema, refuseUnknownKeywords } from './check-schema.ts'
import {
  findBodySchema,
  findUnfit,
  listBoundParameters,
  listFields,
  listParameters,
  listQueryIntegers,
  listQueryNames,
  resolve,
  type Schema,
  type ValidatorError,
} from './invalid-request.ts'
import { chooseMediaType } from './media-type.ts'
import { findUnclearIntegers, findUnusable, refuseDetails, refuseInvalid } from './refuse-invalid.ts'

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
