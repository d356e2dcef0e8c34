import type { Random } from '../random.ts'
import { findFaults } from './check-value.ts'
import { makeText } from './make-string.ts'
import { makeValue } from './make-value.ts'
import { listTypes, type Schema } from './schema.ts'

const tries = 100

/** Makes a value that breaks a schema in one place. */
export function makeInvalid(random: Random, schema: Schema): unknown {
  for (let count = 0; count < tries; count++) {
    const value = breakValue(random, schema, makeValue(random, schema))
    if (findFaults(schema, value).length > 0) return value
  }
  throw new Error('The conformance kit found no value that breaks the schema.')
}

function breakValue(random: Random, schema: Schema, value: unknown): unknown {
  if (random.chance(0.15)) return makeOtherType(random, schema)
  if (typeof value === 'string') return breakString(random, schema, value)
  if (typeof value === 'number') return breakNumber(random, schema)
  if (Array.isArray(value)) return breakArray(random, schema, value)
  if (value !== null && typeof value === 'object') return breakObject(random, schema, value as Record<string, unknown>)
  return makeOtherType(random, schema)
}

function makeOtherType(random: Random, schema: Schema): unknown {
  const types = listTypes(schema)
  const values = [null, true, 7, -1.5, 'text', '', [], ['a'], {}, { a: 1 }]
  return random.pick(values.filter(value => !types.includes(nameType(value))))
}

function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function breakString(random: Random, { maxLength = 300, ...schema }: Schema, value: string): string {
  const at = random.int(0, value.length)
  switch (random.int(0, 5)) {
    case 0:
      return ''
    case 1:
      return value.padEnd(maxLength + 1, value || 'a')
    case 2:
      return schema.enum ? value.toUpperCase() : `${value}\n`
    case 3:
      return `${value.slice(0, at)}${random.pick([' ', '/', '\\', '\u0000', '?', '#', '%', '_', 'é', '//'])}${value.slice(at)}`
    case 4:
      return makeText(random, 1, 20)
    default:
      return ` ${value}`
  }
}

function breakNumber(random: Random, { minimum, maximum, ...schema }: Schema): number {
  const below = (minimum ?? 0) - random.int(1, 100)
  const above = (maximum ?? 0) + random.pick([1, 2, 1000])
  return random.pick([below, above, ...(listTypes(schema).includes('integer') ? [0.5, 10.25] : [])])
}

function breakArray(random: Random, { items, maxItems, uniqueItems }: Schema, value: readonly unknown[]): unknown {
  const kind = random.int(0, 9)
  if (kind === 0 && maxItems !== undefined && items?.type === 'string') {
    return Array.from({ length: maxItems + 1 }, (_, i) => `a${i}`)
  }
  if (kind <= 2 && uniqueItems && value.length > 0) return [...value, random.pick(value)]
  return items ? [...value, breakValue(random, items, makeValue(random, items))] : value
}

const surplus = ['unknown', 'id', '__proto__', 'constructor', 'toString', 'Domain', 'path', 'a.b', '']

function breakObject(random: Random, schema: Schema, value: Record<string, unknown>): unknown {
  const { properties = {}, required = [] } = schema
  const kind = random.int(0, 9)
  if (kind <= 1) {
    const entries = [...Object.entries(value), [random.pick(surplus), random.pick(['x', 1, null, []])] as const]
    // Object.fromEntries makes a field of __proto__, as JSON.parse does.
    return Object.fromEntries(entries)
  }
  if (kind === 2 && required.length > 0) {
    const name = random.pick(required)
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
  }
  const name = random.pick(Object.keys(properties))
  const inner = properties[name] as Schema
  return { ...value, [name]: breakValue(random, inner, makeValue(random, inner)) }
}
