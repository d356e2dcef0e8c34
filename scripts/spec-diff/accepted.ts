import { OperatorError } from '../../server/base/operator-error.ts'
import type { Change } from './change.ts'

/** A change that the rules call breaking, and that somebody has judged otherwise. */
export interface Accepted {
  id: string
  place: string
  /** Why no client breaks. */
  reason: string
}

/**
 * Lowers the level of accepted changes, such as a pattern that now allows more.
 *
 * @param given the parsed list
 * @throws {OperatorError} if an entry is incomplete or accepts no breaking change
 */
export function acceptChanges(changes: readonly Change[], given: unknown): Change[] {
  if (given !== null && given !== undefined && !Array.isArray(given)) {
    throw new OperatorError(`${file}: This must be a list of entries with id, place and reason.`)
  }
  const accepted = (given ?? []) as Accepted[]
  for (const entry of accepted) {
    const { id, place, reason } = entry ?? {}
    if (!id || !place || !reason) {
      throw new OperatorError(`${file}: ${JSON.stringify(entry)} lacks id, place or reason.`)
    }
    const isUsed = changes.some(change => change.level === 'breaking' && change.id === id && change.place === place)
    if (!isUsed) throw new OperatorError(`${file}: there is no breaking change ${id} at ${place}. Remove the entry.`)
  }
  return changes.map(change => {
    const entry = accepted.find(({ id, place }) => change.id === id && change.place === place)
    return entry ? { ...change, level: 'not breaking', text: `${change.text} Accepted: ${entry.reason}` } : change
  })
}

const file = 'spec/released/accepted.yaml'
