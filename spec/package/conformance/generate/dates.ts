import type { Random } from '../random.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

/** Makes two dates that exist, in any documented form. The day of the first in UTC is not after that of the second. */
export function makeRange(random: Random): [from: string, to: string] {
  const start = Date.UTC(random.int(2000, 2040), 0, 1)
  const from = start + random.int(0, 365 * 24 * 60) * minuteMs
  const to = from + random.int(0, 400) * dayMs
  return [formatInstant(random, from), formatInstant(random, to)]
}

/** Writes an instant as a date of UTC, or as a date-time with an offset. */
function formatInstant(random: Random, instant: number): string {
  if (random.chance(0.4)) return new Date(instant).toISOString().slice(0, 'yyyy-mm-dd'.length)
  const offset = random.chance(0.5) ? 0 : random.int(-14 * 60, 14 * 60)
  const [minutes = ''] = new Date(instant + offset * minuteMs).toISOString().split(/:\d\d\.\d{3}Z$/)
  const seconds = random.pick(['', ':00', ':59', ':07.5', ':12.123456', ':00.000000001'])
  if (offset === 0) return `${minutes}${seconds}${random.pick(['', 'Z', '+00:00', '-0000', ' 00:00'])}`
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0')
  const rest = String(Math.abs(offset) % 60).padStart(2, '0')
  return `${minutes}${seconds}${offset < 0 ? '-' : random.pick(['+', ' '])}${hours}${random.pick([':', ''])}${rest}`
}
