import { type Pair, type Part, show } from './part.ts'
import type { SchemaFact } from './rules.ts'
import type { ReportFact } from './values.ts'

const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

/** Compares bounds, pattern, format, multipleOf and uniqueItems. */
export function compareLimits({ before, after }: Pair, report: ReportFact): void {
  for (const keyword of lower) compareBound(keyword, { before, after, isLower: true }, report)
  for (const keyword of upper) compareBound(keyword, { before, after, isLower: false }, report)
  for (const keyword of ['pattern', 'format'] as const) {
    const [from, to] = [before[keyword], after[keyword]]
    if (from === to) continue
    if (from === undefined) report(`${keyword}-added`, `The ${keyword} ${show(to)} was added.`)
    else if (to === undefined) report(`${keyword}-removed`, `The ${keyword} ${show(from)} was removed.`)
    else report(`${keyword}-changed`, `The ${keyword} is now ${show(to)}. It was ${show(from)}.`)
  }
  compareSteps(before.multipleOf, after.multipleOf, report)
  const [wasUnique, isUnique] = [before.uniqueItems === true, after.uniqueItems === true]
  if (isUnique && !wasUnique) report('limit-tightened', 'Items must now be unique.')
  if (wasUnique && !isUnique) report('limit-loosened', 'Items need no longer be unique.')
}

/** Compares one bound. A missing one is infinite, except that no length and no count is less than 0. */
function compareBound(
  keyword: string,
  { before, after, isLower }: { before: Part; after: Part; isLower: boolean },
  report: ReportFact,
): void {
  const isCount = keyword.startsWith('min') && keyword !== 'minimum'
  const none = isLower ? (isCount ? 0 : Number.NEGATIVE_INFINITY) : Number.POSITIVE_INFINITY
  const [from, to] = [(before[keyword] ?? none) as number, (after[keyword] ?? none) as number]
  if (from === to) return
  const fact = to > from === isLower ? 'limit-tightened' : 'limit-loosened'
  report(fact, describeLimit(keyword, before[keyword], after[keyword]))
}

function compareSteps(from: unknown, to: unknown, report: ReportFact): void {
  if (from === to) return
  const isLooser = to === undefined || (typeof from === 'number' && from % (to as number) === 0)
  const fact: SchemaFact = isLooser ? 'limit-loosened' : 'limit-tightened'
  report(fact, describeLimit('multipleOf', from, to))
}

function describeLimit(keyword: string, from: unknown, to: unknown): string {
  if (to === undefined) return `${keyword} ${show(from)} was removed.`
  return from === undefined
    ? `${keyword} ${show(to)} was added.`
    : `${keyword} is now ${show(to)}. It was ${show(from)}.`
}
