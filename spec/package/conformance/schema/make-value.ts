import type { Random } from '../random.ts'
import { makeString } from './make-string.ts'
import { listTypes, type Schema } from './schema.ts'

/** Makes a valid value of a schema. Optional fields are sometimes left out. */
export function makeValue(random: Random, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.examples && schema.examples.length > 0 && random.chance(0.2)) return random.pick(schema.examples)
  const type = random.pick(listTypes(schema))
  switch (type) {
    case 'string':
      return makeString(random, schema)
    case 'boolean':
      return random.chance(0.5)
    case 'integer':
      return makeInteger(random, schema)
    case 'number':
      return random.chance(0.5) ? makeInteger(random, schema) : (schema.minimum ?? 0) + random.next()
    case 'null':
      return null
    case 'array':
      return makeArray(random, schema)
    case 'object':
      return makeObject(random, schema)
    default:
      throw new Error(`The conformance kit cannot make a value of the type ${type}.`)
  }
}

/** The limits are more likely than other numbers, because servers fail there. */
function makeInteger(random: Random, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): number {
  const kind = random.int(0, 9)
  if (kind === 0) return minimum
  if (kind === 1) return maximum
  return random.int(minimum, kind < 8 ? Math.min(maximum, minimum + 300) : maximum)
}

function makeArray(random: Random, { items, minItems = 0, maxItems = 5, uniqueItems }: Schema): unknown[] {
  const length = random.int(minItems, Math.max(minItems, Math.min(maxItems, 5)))
  const made = Array.from({ length }, () => (items ? makeValue(random, items) : null))
  if (!uniqueItems) return made
  return [...new Map(made.map(item => [JSON.stringify(item), item])).values()]
}

function makeObject(random: Random, { properties = {}, required = [] }: Schema): Record<string, unknown> {
  const names = Object.keys(properties).filter(name => required.includes(name) || random.chance(0.4))
  return Object.fromEntries(names.map(name => [name, makeValue(random, properties[name] as Schema)]))
}
