import { expect, test } from 'vitest'
import { IsoTimeReader, readClock, skipFraction } from '../../../server/analytics/formats/iso-time.ts'

test.each([
  ['00:00:00', 0],
  ['23:59:59', 86_399_000],
  ['24:00:00', Number.NaN],
  ['10:60:00', Number.NaN],
  ['10:11:60', Number.NaN],
  ['10-11:12', Number.NaN],
  ['10:11-12', Number.NaN],
  ['10:1x:12', Number.NaN],
])('the clock %s has %d ms', (text, want) => {
  expect(readClock(Buffer.from(text), 0)).toBe(want)
})

test.each([
  ['.5', 2],
  [',123456789 ', 10],
  [';5', 0],
])('the fraction %s has %d bytes', (text, want) => {
  expect(skipFraction(Buffer.from(text), 0, text.length)).toBe(want)
})

test.each([
  ['2025-11-20T10:11:12Z', '2025-11-20T10:11:12.000Z'],
  ['2025-11-20 10:11:12+01', '2025-11-20T09:11:12.000Z'],
  ['2025/11-20T10:11:12Z', undefined],
  ['2025-11/20T10:11:12Z', undefined],
  ['2025-11-20_10:11:12Z', undefined],
])('the time %s is %s', (text, want) => {
  const ms = new IsoTimeReader().read(Buffer.from(text), 0, text.length)
  expect(Number.isNaN(ms) ? undefined : new Date(ms).toISOString()).toBe(want)
})
