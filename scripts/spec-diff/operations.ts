import { compareParameters, type PathNames } from './parameters.ts'
import { compareRest, follow, isSame, member, type Pair, type Part, report, type Walk } from './part.ts'
import { compareContent, compareResponses } from './responses.ts'
import { compareDeprecation } from './schemas.ts'
import { compareSecurity } from './security.ts'

const known = [
  ...['operationId', 'tags', 'parameters', 'requestBody', 'responses', 'security', 'deprecated'],
  ...['x-required-plan', 'x-rate-limit'],
]

interface OperationPair extends Pair {
  /** The path of the operation in both documents. */
  paths: { before: string; after: string }
}

/** Compares two operations that are at the same address. */
export function compareOperations(outer: Walk, { paths, ...pair }: OperationPair): void {
  const { before, after, place } = pair
  const walk = { ...outer, operation: String(after.operationId) }
  if (before.operationId !== after.operationId) {
    const text = `The operationId is now ${after.operationId}. It was ${before.operationId}.`
    report(walk, 'operation-id-changed', place, text)
  }
  compareParameters(walk, pair, renamePath(walk, pair, paths))
  compareRequestBody(walk, pair)
  const [from, to] = [member(before, 'responses'), member(after, 'responses')]
  compareResponses(walk, { before: from, after: to, place })
  compareSecurity(walk, pair)
  comparePlan(walk, pair)
  compareRateLimit(walk, pair)
  compareDeprecation(walk, pair)
  if (!isSame(before.tags, after.tags)) report(walk, 'text-changed', place, 'The tags changed.')
  compareRest(walk, pair, known)
}

/** Returns the new names of the path parameters by the old ones. */
function renamePath(walk: Walk, { place }: Pair, paths: OperationPair['paths']): PathNames {
  const listNames = (path: string) => [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  const names = listNames(paths.after)
  return new Map(
    listNames(paths.before).map((name, index) => {
      const renamed = names[index] ?? name
      if (renamed !== name) report(walk, 'path-parameter-renamed', place, `${name} is now ${renamed}.`)
      return [name, renamed]
    }),
  )
}

function compareRequestBody(walk: Walk, { before, after, place }: Pair): void {
  const find = (document: Part, { requestBody }: Part) => requestBody && follow(document, requestBody as Part).part
  const [from, to] = [find(walk.before, before), find(walk.after, after)] as (Part | undefined)[]
  const at = `${place}: request body`
  if (!from && !to) return
  if (!to) report(walk, 'request-body-removed', at, 'The request has no body any more.')
  else if (!from) {
    const id = to.required === true ? 'request-body-added-required' : 'request-body-added'
    report(walk, id, at, to.required === true ? 'The request needs a body.' : 'The request can have a body.')
  } else {
    if (to.required === true && from.required !== true) report(walk, 'request-body-required', at, 'It is now required.')
    if (from.required === true && to.required !== true) report(walk, 'request-body-optional', at, 'It is now optional.')
    compareContent(walk, { before: member(from, 'content'), after: member(to, 'content'), place: at }, 'request')
    compareRest(walk, { before: from, after: to, place: at }, ['content', 'required'])
  }
}

function comparePlan(walk: Walk, { before, after, place }: Pair): void {
  const [from, to] = [before['x-required-plan'], after['x-required-plan']]
  if (from === to) return
  if (to === undefined) report(walk, 'plan-no-longer-required', place, 'It needs no plan any more.')
  else report(walk, 'plan-required', place, `It needs the plan ${to}.`)
}

interface RateLimit {
  quota: number
  windowSeconds: number
}

function compareRateLimit(walk: Walk, { before, after, place }: Pair): void {
  const [from, to] = [findLimit(walk.before, before), findLimit(walk.after, after)]
  if (isSame(from, to)) return
  const describe = ({ quota, windowSeconds }: RateLimit) => `${quota} requests in ${windowSeconds} seconds`
  if (!to) report(walk, 'rate-limit-loosened', place, 'The rate limit was removed.')
  else if (!from) report(walk, 'rate-limit-tightened', place, `There is now a rate limit of ${describe(to)}.`)
  else {
    const isTighter = to.quota < from.quota || to.quota / to.windowSeconds < from.quota / from.windowSeconds
    const text = `The rate limit is now ${describe(to)}. It was ${describe(from)}.`
    report(walk, isTighter ? 'rate-limit-tightened' : 'rate-limit-loosened', place, text)
  }
}

function findLimit(document: Part, operation: Part): RateLimit | undefined {
  const name = operation['x-rate-limit']
  return name === undefined ? undefined : (member(document, 'x-rate-limits')[String(name)] as RateLimit | undefined)
}
