import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Day, parseDay } from '../../server/analytics/day.ts'
import { VisitorHash } from '../../server/analytics/visitor.ts'
import { toKeyPeriod } from '../../server/analytics/visitor-keys.ts'
import type { SaltRotation } from '../../server/tenancy/project.ts'

const secret = Buffer.alloc(32, 7)
const nov19 = 20_776
const nov20 = 20_777
const dec1 = 20_788

function hash(rotation: SaltRotation, day: Day, address = '10.0.0.1', userAgent = 'Mozilla/5.0', key = secret): string {
  return write(new VisitorHash(() => key, rotation), address, userAgent, day)
}

/** Writes a hash into a buffer and returns it. The bytes around it must not change. */
function write(visitorHash: VisitorHash, address: string, userAgent: string, day: Day): string {
  const bytes = Buffer.from(`x${address}y`, 'latin1')
  const to = Buffer.alloc(48, 'z')
  visitorHash.write(to, 16, bytes, 1, bytes.length - 1, userAgent, day)
  expect(to.toString('latin1', 0, 16) + to.toString('latin1', 32)).toBe('z'.repeat(32))
  return to.toString('hex', 16, 32)
}

test('a visitor is the first 16 bytes of an HMAC over address, NUL and user agent', () => {
  const want = createHmac('sha256', secret).update('10.0.0.1\0Mozilla/5.0').digest('hex').slice(0, 32)
  expect(hash('never', nov20)).toBe(want)
})

/** Keys by period, as the store has them. */
function keyOf(rotation: SaltRotation, day: Day): Buffer {
  return Buffer.from(rotation === 'never' ? 'never' : toKeyPeriod(day, rotation).name)
}

test.each(['never', 'month', 'day'] as const)('with rotation %s, the HMAC uses the key of the period', rotation => {
  const asked: Day[] = []
  const visitorHash = new VisitorHash(day => {
    asked.push(day)
    return keyOf(rotation, day)
  }, rotation)
  for (const day of [nov20, nov19, dec1, nov20]) {
    const want = createHmac('sha256', keyOf(rotation, day)).update('10.0.0.1\0Mozilla/5.0').digest('hex').slice(0, 32)
    expect(write(visitorHash, '10.0.0.1', 'Mozilla/5.0', day)).toBe(want)
  }
  expect(asked).toEqual({ never: [nov20], month: [nov20, dec1], day: [nov20, nov19, dec1] }[rotation])
})

test('a day whose key was destroyed has no visitors', () => {
  const visitorHash = new VisitorHash(day => (day === nov19 ? undefined : secret), 'day')
  expect([nov20, nov19, dec1].map(day => visitorHash.hasKey(day))).toEqual([true, false, true])
  expect(() => write(visitorHash, 'a', 'b', nov19)).toThrow('The visitor key of 2026-11-19 was destroyed.')
})

test.each([
  ['2026-11-20', 'month', '2026-11', '2026-11-01', '2026-12-01'],
  ['2026-12-31', 'month', '2026-12', '2026-12-01', '2027-01-01'],
  ['2028-02-29', 'month', '2028-02', '2028-02-01', '2028-03-01'],
  ['2026-11-20', 'day', '2026-11-20', '2026-11-20', '2026-11-21'],
] as const)('%s is in the period of a %s %s, from %s up to %s', (date, rotation, name, from, to) => {
  const dayOf = (text: string) => parseDay(text) as Day
  expect(toKeyPeriod(dayOf(date), rotation)).toEqual({ name, from: dayOf(from), to: dayOf(to) })
})

test.each([
  ['never', nov19, nov20, true],
  ['never', nov20, dec1, true],
  ['month', nov19, nov20, true],
  ['month', nov20, dec1, false],
  ['day', nov20, nov20, true],
  ['day', nov19, nov20, false],
] as const)('with rotation %s, day %d and day %d have the same visitor: %s', (rotation, one, other, same) => {
  const visitorHash = new VisitorHash(day => keyOf(rotation, day), rotation)
  expect(write(visitorHash, 'a', 'b', one) === write(visitorHash, 'a', 'b', other)).toBe(same)
  expect(visitorHash.periodOf(one) === visitorHash.periodOf(other)).toBe(same)
})

test.each([
  ['another address', hash('never', nov20, '10.0.0.2')],
  ['another user agent', hash('never', nov20, '10.0.0.1', 'Mozilla/5.1')],
  ['another secret', hash('never', nov20, '10.0.0.1', 'Mozilla/5.0', Buffer.alloc(32, 8))],
  ['the same characters, split at another place', hash('never', nov20, '10.0.0.1M', 'ozilla/5.0')],
])('%s gives a different visitor', (_, other) => {
  expect(other).not.toBe(hash('never', nov20))
})

test.each([0, 1, 54, 55, 56, 63, 64, 65, 4000, 60_000])('a user agent of %d bytes is hashed completely', length => {
  const text = '\xe9'.repeat(length)
  const want = createHmac('sha256', secret).update(`10.0.0.1\0${text}`, 'latin1').digest('hex').slice(0, 32)
  expect(hash('never', nov20, '10.0.0.1', text)).toBe(want)
})
