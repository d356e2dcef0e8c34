/**
 * Finds the known name that a person most likely meant; undefined when none is close. A misspelt, missing, surplus or swapped
 * letter is one mistake, and a name of `n` letters may have `n / 3` mistakes, but always one. Case is ignored.
 */
export function findNearestName(given: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined
  let fewest = Math.max(1, Math.floor(given.length / 3)) + 1
  for (const name of known) {
    // The difference in length is a lower bound, so long input costs nothing.
    if (Math.abs(name.length - given.length) >= fewest) continue
    const edits = countEdits(given.toLowerCase(), name.toLowerCase())
    if (edits < fewest) {
      fewest = edits
      nearest = name
    }
  }
  return nearest
}

/** Counts the edits from one text to another: the optimal string alignment distance. */
function countEdits(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (last[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY
      row[j] = Math.min(replaced, (last[j] as number) + 1, (row[j - 1] as number) + 1, swapped)
    }
    before = last
    last = row
  }
  return last[to.length] as number
}
