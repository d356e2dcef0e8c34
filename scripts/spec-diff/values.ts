import { isSame, type Pair, type Part, show } from './part.ts'
import type { SchemaFact } from './rules.ts'

export type ReportFact = (fact: SchemaFact, text: string) => void

/**
 * Compares types, enums and null.
 *
 * @returns whether the types have something in common; otherwise there is nothing more to compare
 */
export function compareValues({ before, after }: Pair, report: ReportFact): boolean {
  const from = typesOf(before)
  const to = typesOf(after)
  if (from.types && to.types && from.isNullable !== to.isNullable) {
    report(to.isNullable ? 'null-allowed' : 'null-refused', `null is ${to.isNullable ? 'now' : 'no longer'} allowed.`)
  }
  const [widened, narrowed] = [covers(to.types, from.types), covers(from.types, to.types)]
  if (!(widened && narrowed)) {
    const text = `The type is now ${list(to.types)}. It was ${list(from.types)}.`
    report(widened ? 'type-widened' : narrowed ? 'type-narrowed' : 'type-changed', text)
    if (!widened && !narrowed) return false
  }
  compareEnums(enumOf(before), enumOf(after), report)
  return true
}

/** `types` is undefined if the schema allows every type. */
function typesOf({ type }: Part): { types: string[] | undefined; isNullable: boolean } {
  if (type === undefined) return { types: undefined, isNullable: true }
  const all = [type].flat() as string[]
  return { types: all.filter(each => each !== 'null'), isNullable: all.includes('null') }
}

function covers(wide: string[] | undefined, narrow: string[] | undefined): boolean {
  if (!wide) return true
  return narrow?.every(type => wide.includes(type) || (type === 'integer' && wide.includes('number'))) ?? false
}

function list(types: string[] | undefined): string {
  return types?.join(' or ') ?? 'any'
}

function enumOf({ enum: values, const: value }: Part): unknown[] | undefined {
  return value === undefined ? (values as unknown[] | undefined) : [value]
}

function compareEnums(from: unknown[] | undefined, to: unknown[] | undefined, report: ReportFact): void {
  if (from && to) {
    const isIn = (values: unknown[], value: unknown) => values.some(each => isSame(each, value))
    for (const value of from) if (!isIn(to, value)) report('enum-value-removed', `${show(value)} was removed.`)
    for (const value of to) if (!isIn(from, value)) report('enum-value-added', `${show(value)} was added.`)
  } else if (to) report('enum-added', `Only ${to.map(show).join(', ')} are allowed.`)
  else if (from) report('enum-removed', `Other values than ${from.map(show).join(', ')} are allowed.`)
}
