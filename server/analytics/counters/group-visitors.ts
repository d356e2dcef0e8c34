import type { PackedViews } from './visitor-history.ts'

/** The views of one visitor of a batch. */
export interface VisitorViews {
  visitor: Uint8Array
  views: PackedViews
}

/** The same in a group. */
export interface GroupedViews extends VisitorViews {
  /** Whether the visitor may also be the last one of the group before. */
  isAgain: boolean
}

const prefixBytes = 4

/**
 * Divides the visitors of a batch, sorted by their first bytes, into groups without repetitions. A batch can have a visitor
 * twice: two spellings of an address or of a user agent in a log may mean the same.
 */
export function* groupVisitors(visitors: Iterable<VisitorViews>, maxSize: number): Generator<GroupedViews[]> {
  let group: GroupedViews[] = []
  let last: Uint8Array | undefined
  for (const { visitor, views } of visitors) {
    const isAgain = last !== undefined && startsEqually(visitor, last)
    last = visitor
    if (group.length === maxSize || (isAgain && group.length > 0)) {
      yield group
      group = []
    }
    group.push({ visitor, views, isAgain })
  }
  if (group.length > 0) yield group
}

function startsEqually(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < prefixBytes; i++) if (a[i] !== b[i]) return false
  return true
}
