import { isDeepStrictEqual } from 'node:util'
import { listTypes, type Schema } from './schema.ts'

/** Lists where a value breaks a schema, one phrase each; empty = it is valid. `place` names the value. */
export function findFaults(schema: Schema, value: unknown, place = 'the body'): string[] {
  const types = listTypes(schema)
  if (types.length > 0 && !types.some(type => hasType(type, value))) {
    return [`${place} is ${describe(value)} and not ${types.join(' or ')}`]
  }
  const faults: string[] = []
  if (schema.enum && !schema.enum.some(member => isDeepStrictEqual(member, value))) {
    faults.push(`${place} is ${describe(value)} and not one of ${schema.enum.join(', ')}`)
  }
  if (schema.const !== undefined && !isDeepStrictEqual(schema.const, value)) {
    faults.push(`${place} is ${describe(value)} and not ${describe(schema.const)}`)
  }
  if (typeof value === 'string') faults.push(...checkString(schema, value, place))
  else if (typeof value === 'number') faults.push(...checkNumber(schema, value, place))
  else if (Array.isArray(value)) faults.push(...checkArray(schema, value, place))
  else if (value !== null && typeof value === 'object') faults.push(...checkObject(schema, value, place))
  return faults
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return value !== null && typeof value === 'object' && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      // The remaining types are string and boolean.
      return typeof value === type
  }
}

function checkString(schema: Schema, value: string, place: string): string[] {
  const faults: string[] = []
  // JSON Schema counts characters, and JavaScript counts halves of some.
  const length = [...value].length
  if (length < (schema.minLength ?? 0)) faults.push(`${place} has ${length} characters, fewer than ${schema.minLength}`)
  if (length > (schema.maxLength ?? Number.POSITIVE_INFINITY)) {
    faults.push(`${place} has ${length} characters, more than ${schema.maxLength}`)
  }
  if (schema.pattern !== undefined && !compile(schema.pattern).test(value)) {
    faults.push(`${place} is ${describe(value)} and does not match ${shorten(schema.pattern)}`)
  }
  if (schema.format !== undefined && !hasFormat(schema.format, value)) {
    faults.push(`${place} is ${describe(value)} and not a ${schema.format}`)
  }
  return faults
}

const compiled = new Map<string, RegExp>()

function compile(pattern: string): RegExp {
  const known = compiled.get(pattern) ?? new RegExp(pattern, 'u')
  compiled.set(pattern, known)
  return known
}

function hasFormat(format: string, value: string): boolean {
  const isUriText =
    /^[\w\-.~:/?[\]@!$&'()*+,;=%]*(?:#[\w\-.~:/?@!$&'()*+,;=%]*)?$/.test(value) && !/%(?![0-9a-f]{2})/i.test(value)
  switch (format) {
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) && isDate(value)
    case 'uri':
      return isUriText && URL.canParse(value)
    case 'uri-reference':
      return isUriText && URL.canParse(value, 'http://host.invalid/')
    default:
      return true
  }
}

/** JavaScript takes 2026-02-30 for a day in March. */
function isDate(value: string): boolean {
  const day = value.slice(0, 'yyyy-mm-dd'.length)
  const parsed = new Date(`${day}T00:00:00Z`)
  const isDay = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day)
  return isDay && !Number.isNaN(Date.parse(value))
}

function checkNumber(schema: Schema, value: number, place: string): string[] {
  const faults: string[] = []
  if (value < (schema.minimum ?? Number.NEGATIVE_INFINITY)) faults.push(`${place} is ${value}, below ${schema.minimum}`)
  if (value > (schema.maximum ?? Number.POSITIVE_INFINITY)) faults.push(`${place} is ${value}, above ${schema.maximum}`)
  return faults
}

function checkArray(schema: Schema, value: readonly unknown[], place: string): string[] {
  const faults: string[] = []
  const { length } = value
  if (length < (schema.minItems ?? 0)) faults.push(`${place} has ${length} items, fewer than ${schema.minItems}`)
  if (length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) {
    faults.push(`${place} has ${length} items, more than ${schema.maxItems}`)
  }
  if (schema.uniqueItems && new Set(value.map(item => JSON.stringify(item))).size < length) {
    faults.push(`${place} has the same item twice`)
  }
  const { items } = schema
  if (items) faults.push(...value.flatMap((item, i) => findFaults(items, item, `${place}[${i}]`)))
  return faults
}

function checkObject(schema: Schema, value: object, place: string): string[] {
  const faults: string[] = []
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) faults.push(`${name} is missing in ${place}`)
  }
  for (const [name, member] of Object.entries(value)) {
    const inner = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined
    if (inner) faults.push(...findFaults(inner, member, name))
    else if (schema.additionalProperties === false) faults.push(`${place} has the undocumented field ${name}`)
  }
  return faults
}

function describe(value: unknown): string {
  return shorten(JSON.stringify(value) ?? String(value))
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text
}
