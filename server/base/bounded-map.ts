/**
 * Bounds a map whose keys a hostile site can make up: past twice the number given, only so many of the least keys stay. Those
 * are the same in whatever order the keys came, and complete, since a key that stays was never removed.
 *
 * @return the keys that were removed.
 */
export function keepSmallestKeys(map: Map<string, unknown>, most: number, slack = 2): string[] {
  if (map.size <= most * slack) return []
  const removed = [...map.keys()].sort().slice(most)
  for (const key of removed) map.delete(key)
  return removed
}
