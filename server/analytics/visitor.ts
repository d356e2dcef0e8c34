import { createHmac } from 'node:crypto'
import type { SaltRotation } from '../tenancy/project.ts'
import { BoundedCache } from './bounded-cache.ts'
import { type Day, formatDay } from './day.ts'

const visitorBytes = 16
const cachedVisitors = 32_768
/** What is longer is hashed anew each time: a log full of long user agents must not fill the memory. */
const longestCached = 1024

/** Who made a request, without saying who: 16 bytes, the same for the same address and user agent in one salt period. */
export type VisitorHash = (address: string, userAgent: string, day: Day) => Uint8Array

/**
 * The first 16 bytes of HMAC-SHA-256 over address, NUL and user agent. The key is the secret, or with a rotation the
 * HMAC-SHA-256 of the month (`2026-11`) or the day (`2026-11-20`) in UTC under it: nothing links two periods to each other.
 *
 * Address and user agent are strings of bytes (latin1).
 */
export function createVisitorHash(secret: Uint8Array, rotation: SaltRotation): VisitorHash {
  const keyOfDay = createDailyKey(secret, rotation)
  const known = new BoundedCache<string, Uint8Array>(cachedVisitors)
  return (address, userAgent, day) => {
    const { period, key } = keyOfDay(day)
    const who = `${address}\0${userAgent}`
    const name = `${period}\0${who}`
    const cached = known.get(name)
    if (cached) return cached
    const visitor = createHmac('sha256', key).update(who, 'latin1').digest().subarray(0, visitorBytes)
    if (name.length <= longestCached) known.set(name, visitor)
    return visitor
  }
}

function createDailyKey(secret: Uint8Array, rotation: SaltRotation) {
  if (rotation === 'never') {
    const always = { period: '', key: secret }
    return () => always
  }
  const keys = new BoundedCache<Day, { period: string; key: Uint8Array }>(400)
  return (day: Day) => {
    const cached = keys.get(day)
    if (cached) return cached
    const period = formatDay(day).slice(0, rotation === 'month' ? 7 : 10)
    const made = { period, key: createHmac('sha256', secret).update(period).digest() }
    keys.set(day, made)
    return made
  }
}
