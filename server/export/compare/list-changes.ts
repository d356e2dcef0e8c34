/** A part of two lists: what both have, or what only one has. */
export interface ListPart<T> {
  kind: 'same' | 'removed' | 'added'
  items: T[]
}

/** With more changes, the rest counts as replaced. The work and the memory grow with the square of this number. */
const maxEdits = 1500

/**
 * Compares two lists, and returns their parts in order, a removed part before the part that was added in its place. Follows Myers, "An
 * O(ND) Difference Algorithm and Its Variations" (1986).
 */
export function listChanges<T>(before: readonly T[], after: readonly T[]): ListPart<T>[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const left = Math.min(before.length, after.length) - start
  while (end < left && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  const a = before.slice(start, before.length - end)
  const b = after.slice(start, after.length - end)
  const parts: ListPart<T>[] = []
  const add = (kind: ListPart<T>['kind'], items: readonly T[]) => {
    if (items.length === 0) return
    const last = parts.at(-1)
    if (last?.kind !== kind) parts.push({ kind, items: [...items] })
    else for (const item of items) last.items.push(item)
  }
  add('same', before.slice(0, start))
  let [x, y] = [0, 0]
  for (const [nextX, nextY] of [...findCommon(a, b), [a.length, b.length] as const]) {
    add('removed', a.slice(x, nextX))
    add('added', b.slice(y, nextY))
    if (nextX < a.length) add('same', [a[nextX] as T])
    ;[x, y] = [nextX + 1, nextY + 1]
  }
  add('same', before.slice(before.length - end))
  return parts
}

/** Returns the positions of a longest common subsequence. */
function findCommon<T>(a: readonly T[], b: readonly T[]): (readonly [number, number])[] {
  const most = Math.min(a.length + b.length, maxEdits)
  const reach = new Int32Array(2 * most + 3)
  const at = (diagonal: number) => diagonal + most + 1
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reach.slice(at(-edits - 1), at(edits + 1) + 1))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [below, right] = [reach[at(diagonal + 1)] ?? 0, reach[at(diagonal - 1)] ?? 0]
      let x = diagonal === -edits || (diagonal !== edits && right < below) ? below : right + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1
      reach[at(diagonal)] = x
      if (x >= a.length && x - diagonal >= b.length) return walkBack(trace, a.length, b.length)
    }
  }
  return []
}

/** Follows the furthest reaching paths from the end to the start. */
function walkBack(trace: readonly Int32Array[], endX: number, endY: number): (readonly [number, number])[] {
  const common: (readonly [number, number])[] = []
  let [x, y] = [endX, endY]
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reach = trace[edits] as Int32Array
    const at = (diagonal: number) => reach[diagonal + edits + 1] ?? 0
    const diagonal = x - y
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1))
    const from = isDown ? diagonal + 1 : diagonal - 1
    const [fromX, fromY] = edits === 0 ? [0, 0] : [at(from), at(from) - from]
    while (x > fromX && y > fromY) {
      x -= 1
      y -= 1
      common.push([x, y])
    }
    ;[x, y] = [fromX, fromY]
  }
  return common.reverse()
}
