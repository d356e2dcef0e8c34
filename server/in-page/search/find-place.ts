/** Returns the index of the last of ascending values that is not greater than `value`; -1 = all are greater. */
export function findPlace<T>(ascending: readonly T[], value: T): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as T) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
