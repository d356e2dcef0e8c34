import { compareLimits } from './limits.ts'
import {
  compareRest,
  followReferences,
  isSame,
  member,
  namesOf,
  type Pair,
  type Part,
  report,
  show,
  type Walk,
} from './part.ts'
import type { Direction, SchemaFact } from './rules.ts'
import { compareValues } from './values.ts'

/** The names of the schemas that enclose the one that is compared, to end at schemas that contain themselves. */
type Enclosing = readonly string[]

/** Compares two schemas, as far as they can be followed, and reports what that does in the given direction. */
export function compareSchemas(walk: Walk, given: Pair, direction: Direction, enclosing: Enclosing = []): void {
  const { names, ...pair } = followReferences(walk, given)
  const { before, after, place } = pair
  if (names !== undefined && enclosing.includes(names)) return
  const inner = names === undefined ? enclosing : [...enclosing, names]
  const fact = (name: SchemaFact, text: string) => report(walk, `${direction}-${name}`, place, text)
  if (!compareValues(pair, fact)) return
  compareLimits(pair, fact)
  compareDefault(walk, pair, direction)
  compareProperties(walk, pair, direction, inner)
  compareAdditional(walk, pair, direction, inner)
  if (before.items !== undefined || after.items !== undefined) {
    const items = { before: toPart(before.items), after: toPart(after.items), place: `${place}[]` }
    compareSchemas(walk, items, direction, inner)
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) compareAlternatives(walk, pair, { keyword, direction, inner })
  compareDeprecation(walk, pair)
  compareRest(walk, pair, known)
}

const known = [
  ...['type', 'enum', 'const', 'format', 'pattern', 'multipleOf', 'uniqueItems', 'default', 'deprecated'],
  ...['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties', 'properties', 'required', 'additionalProperties', 'items'],
  ...['allOf', 'anyOf', 'oneOf'],
]

function compareDefault(walk: Walk, { before, after, place }: Pair, direction: Direction): void {
  if (isSame(before.default, after.default)) return
  const text =
    before.default === undefined
      ? `The default is now ${show(after.default)}.`
      : `The default ${show(before.default)} ${after.default === undefined ? 'was removed' : `is now ${show(after.default)}`}.`
  report(walk, `${direction}-default-changed`, place, text)
}

/** Reports only the start of a deprecation: it warns, and nothing stops working. */
export function compareDeprecation(walk: Walk, { before, after, place }: Pair): void {
  if (before.deprecated === after.deprecated) return
  if (after.deprecated === true) report(walk, 'deprecated', place, 'It is now deprecated.')
  else if (before.deprecated === true) {
    report(walk, 'no-longer-deprecated', place, 'It is no longer deprecated.')
  }
}

function compareProperties(walk: Walk, pair: Pair, direction: Direction, enclosing: Enclosing): void {
  const { before, after, place } = pair
  const from = member(before, 'properties')
  const to = member(after, 'properties')
  const isRequired = (schema: Part, name: string) => ((schema.required ?? []) as string[]).includes(name)
  for (const name of namesOf(from, to)) {
    const at = `${place}.${name}`
    const [wasRequired, required] = [isRequired(before, name), isRequired(after, name)]
    if (!(name in from)) {
      if (required) report(walk, `${direction}-property-added-required`, at, 'Added, required.')
      else report(walk, `${direction}-property-added`, at, 'Added.')
    } else if (!(name in to)) report(walk, `${direction}-property-removed`, at, 'Removed.')
    else {
      if (required && !wasRequired) report(walk, `${direction}-property-required`, at, 'It is now required.')
      if (!required && wasRequired) report(walk, `${direction}-property-optional`, at, 'It is now optional.')
      compareSchemas(walk, { before: toPart(from[name]), after: toPart(to[name]), place: at }, direction, enclosing)
    }
  }
}

/** An object without additionalProperties allows any further field. */
function compareAdditional(walk: Walk, { before, after, place }: Pair, direction: Direction, inner: Enclosing): void {
  const [from, to] = [before.additionalProperties ?? true, after.additionalProperties ?? true]
  if (from === true && to === true) return
  if (from === false || to === false) {
    if (from !== to && to === false)
      report(walk, `${direction}-object-closed`, place, 'Further fields are not allowed.')
    else if (from !== to) report(walk, `${direction}-object-opened`, place, 'Further fields are now allowed.')
    return
  }
  compareSchemas(walk, { before: toPart(from), after: toPart(to), place: `${place}.*` }, direction, inner)
}

interface Alternatives {
  keyword: string
  direction: Direction
  inner: Enclosing
}

/** Compares the schemas of allOf, anyOf or oneOf one by one. More schemas in anyOf and oneOf allow more, in allOf less. */
function compareAlternatives(walk: Walk, { before, after, place }: Pair, { keyword, direction, inner }: Alternatives) {
  const from = (before[keyword] ?? []) as Part[]
  const to = (after[keyword] ?? []) as Part[]
  if (from.length !== to.length) {
    // No alternatives allow everything, as an empty allOf does.
    const isMore = from.length > 0 && to.length > from.length
    const isWider = keyword === 'allOf' ? to.length < from.length : isMore || to.length === 0
    const fact = isWider ? 'alternative-added' : 'alternative-removed'
    report(walk, `${direction}-${fact}`, place, `${keyword} has ${to.length} schemas. It had ${from.length}.`)
    return
  }
  for (const [index, schema] of from.entries()) {
    const pair = { before: toPart(schema), after: toPart(to[index]), place: `${place} ${keyword}[${index}]` }
    compareSchemas(walk, pair, direction, inner)
  }
}

/** Returns the object for a boolean or missing schema. */
function toPart(schema: unknown): Part {
  if (schema === false) return { not: {} }
  return schema === true || schema === undefined ? {} : (schema as Part)
}
