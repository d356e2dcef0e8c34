/**
 * Returns the index of the last value that is not greater than `value`, or -1 if all are greater. The values are in
 * ascending order.
 */
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
