/**
 * Limits a map whose keys a hostile site can invent: once it has more than `max * slack` keys, only the `max` smallest
 * stay. The result does not depend on the order of insertion, and a key that stays was never removed before.
 *
 * @return the removed keys.
 */
export function keepSmallestKeys(map: Map<string, unknown>, max: number, slack = 2): string[] {
  if (map.size <= max * slack) return []
  const removed = [...map.keys()].sort().slice(max)
  for (const key of removed) map.delete(key)
  return removed
}
