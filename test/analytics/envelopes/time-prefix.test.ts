import { expect, test } from 'vitest'
import { findIsoTimeEnd, isClockTime } from '../../../server/analytics/envelopes/time-prefix.ts'

/** Returns the length of the time at the beginning of a text; -1 when there is none. */
function measure(text: string, hidden = 0): number {
  const bytes = Buffer.from(`1${text}`)
  const end = findIsoTimeEnd(bytes, 1, bytes.length - hidden)
  return end === -1 ? -1 : end - 1
}

test.each([
  ['2026-11-20T10:11:12Z', 20],
  ['2026-11-20T10:11:12.123456789Z x', 30],
  ['2026-11-20T10:11:12,5+01:00', 27],
  ['2026-11-20T10:11:12-0730 x', 24],
  ['2026-11-20T10:11:12', -1],
  ['2026-11-20T10:11:12 ', -1],
  ['2026-11-20T10:11:12+01', -1],
  ['2026-11-20T10:11:12+0x00', -1],
  ['2026-11-20T10:11:12+01:x0', -1],
])('the time of %j has %d bytes', (text, want) => {
  expect(measure(text)).toBe(want)
})

test('a time is only one with all its digits and marks', () => {
  const time = '2026-11-20T10:11:12Z'
  for (let at = 0; at < time.length; at++) expect(measure(`${time.slice(0, at)}x${time.slice(at + 1)}`)).toBe(-1)
  const clock = '10:11:12'
  expect(isClockTime(Buffer.from(clock), 0)).toBe(true)
  for (let at = 0; at < clock.length; at++)
    expect(isClockTime(Buffer.from(`${clock.slice(0, at)}x${clock.slice(at + 1)}`), 0)).toBe(false)
})

test.each(['2026-11-20T10:11:12Z', '2026-11-20T10:11:12.5+01:00', '2026-11-20T10:11:12-0730'])(
  '%s ends in its line',
  time => {
    expect(measure(`${time}0`, 1)).toBe(time.length)
    expect(measure(time, 1)).toBe(-1)
  },
)
