import { expect, test } from 'vitest'
import { isTimeZone, LocalTime } from '../../../server/analytics/formats/local-time.ts'
import { createPatternFormat } from '../../../server/analytics/formats/pattern-format.ts'
import { readLog } from '../import/read-log.ts'

test.each([
  ['Europe/Berlin', '2026-01-15T00:30', '2026-01-14T23:30'],
  ['Europe/Berlin', '2026-07-15T00:30', '2026-07-14T22:30'],
  // Clocks skip 02:00 to 03:00 on 29 March, and show it twice on 25 October.
  ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00'],
  ['Europe/Berlin', '2026-10-25T01:59', '2026-10-24T23:59'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30'],
  ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00'],
  ['America/New_York', '2026-11-20T22:00', '2026-11-21T03:00'],
  ['Asia/Kolkata', '2026-11-20T05:00', '2026-11-19T23:30'],
  ['UTC', '2026-11-20T05:00', '2026-11-20T05:00'],
])('in %s, %s is %s UTC', (zone, local, utc) => {
  const time = new LocalTime(zone)
  const toMs = (text: string) => Date.parse(`${text}:00Z`)
  expect(new Date(time.toUtc(toMs(local))).toISOString()).toBe(new Date(toMs(utc)).toISOString())
})

test('other texts are no zones', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Base', '', '+25:00'].map(isTimeZone)).toEqual([true, true, false, false, false])
})

test('HAProxy counts a view after midnight on the day of UTC', () => {
  const line =
    '203.0.113.9:51234 [20/Nov/2026:00:30:12.345] web app/s1 0/0/1/2/3 200 512 - - ---- 1/1/1/1/0 0/0 {Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0} "GET /guide HTTP/1.1"'
  const dayIn = (zone?: string) =>
    readLog(line, { format: createPatternFormat('haproxy{User-Agent}', zone) }).views[0]?.day
  expect([dayIn(), dayIn('Europe/Berlin'), dayIn('America/New_York')]).toEqual([20777, 20776, 20777])
})
