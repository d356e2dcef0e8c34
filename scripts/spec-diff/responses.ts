import {
  compareRest,
  followReferences,
  isSame,
  member,
  namesOf,
  type Pair,
  type Part,
  report,
  type Walk,
} from './part.ts'
import type { ChangeId, Direction } from './rules.ts'
import { compareDeprecation, compareSchemas } from './schemas.ts'

/** Compares the responses of two operations by status. */
export function compareResponses(walk: Walk, { before, after, place }: Pair): void {
  for (const status of namesOf(before, after)) {
    const at = `${place}: ${status}`
    const [from, to] = [before[status], after[status]] as (Part | undefined)[]
    if (!to) report(walk, isError(status) ? 'error-status-removed' : 'success-status-removed', at, 'Removed.')
    else if (!from) report(walk, judgeNewStatus(status), at, 'Added.')
    else compareResponse(walk, followReferences(walk, { before: from, after: to, place: at }))
  }
}

/** `default` describes errors, too: without it, any status is an error that clients do not know. */
function isError(status: string): boolean {
  return /^[45]|^default$/.test(status)
}

function judgeNewStatus(status: string): ChangeId {
  if (isError(status)) return 'error-status-added'
  // Only clients that send a condition get it (RFC 9110, 15.4.5).
  if (status === '304') return 'not-modified-added'
  return status.startsWith('3') ? 'redirect-added' : 'success-status-added'
}

function compareResponse(walk: Walk, pair: Pair): void {
  const { before, after, place } = pair
  compareHeaders(walk, { before: member(before, 'headers'), after: member(after, 'headers'), place })
  compareContent(walk, { before: member(before, 'content'), after: member(after, 'content'), place }, 'response')
  if (!isSame(before.links, after.links)) report(walk, 'link-changed', place, 'The links changed.')
  compareRest(walk, pair, ['headers', 'content', 'links'])
}

function compareHeaders(walk: Walk, { before, after, place }: Pair): void {
  const [from, to] = [byLowerCase(before), byLowerCase(after)]
  for (const name of namesOf(from, to)) {
    const [old, header] = [from[name], to[name]] as (Part | undefined)[]
    const at = `${place}: header ${name}`
    if (!header) report(walk, 'response-header-removed', at, 'Removed.')
    else if (!old) report(walk, 'response-header-added', at, 'Added.')
    else compareHeader(walk, followReferences(walk, { before: old, after: header, place: at }))
  }
}

function compareHeader(walk: Walk, pair: Pair): void {
  const { before, after, place } = pair
  const [wasRequired, isRequired] = [before.required === true, after.required === true]
  if (wasRequired && !isRequired) report(walk, 'response-header-optional', place, 'It is now optional.')
  if (isRequired && !wasRequired) report(walk, 'response-header-required', place, 'It is now in every answer.')
  compareSchemas(walk, { before: member(before, 'schema'), after: member(after, 'schema'), place }, 'response')
  compareDeprecation(walk, pair)
  compareRest(walk, pair, ['required', 'schema', 'deprecated'])
}

/** Compares bodies by media type. */
export function compareContent(walk: Walk, { before, after, place }: Pair, direction: Direction): void {
  for (const mediaType of namesOf(before, after)) {
    const at = `${place}: ${mediaType}`
    const [from, to] = [before[mediaType], after[mediaType]] as (Part | undefined)[]
    if (!to) report(walk, `${direction}-media-type-removed`, at, 'Removed.')
    else if (!from) report(walk, `${direction}-media-type-added`, at, 'Added.')
    else {
      compareSchemas(walk, { before: member(from, 'schema'), after: member(to, 'schema'), place: at }, direction)
      compareRest(walk, { before: from, after: to, place: at }, ['schema'])
    }
  }
}

function byLowerCase(headers: Part): Part {
  return Object.fromEntries(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]))
}
