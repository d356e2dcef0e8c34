import { describe, expect, test } from 'vitest'
import { describeSchedule, maxHours, nextStart, parseRhythm, weekdays } from '../../server/tenancy/site-schedule.ts'
import fc from '../support/fast-check.ts'

const at = (text: string) => Date.parse(`${text}Z`)
const hourMs = 3_600_000
const dayMs = 24 * hourMs

test.each([
  ['every 6h', '2026-11-29T08:10', '2026-11-29T14:10'],
  ['every 1h', '2026-12-31T23:30', '2027-01-01T00:30'],
  ['daily 03:00', '2026-11-29T02:59:59.999', '2026-11-29T03:00'],
  ['daily 03:00', '2026-11-29T03:00', '2026-11-30T03:00'],
  ['daily 00:00', '2026-12-31T00:00', '2027-01-01T00:00'],
  ['daily 23:59', '2028-02-28T23:59', '2028-02-29T23:59'],
  // A Sunday.
  ['weekly mon@03:00', '2026-11-29T08:00', '2026-11-30T03:00'],
  ['weekly sun@08:00', '2026-11-29T08:00', '2026-12-06T08:00'],
  ['weekly sun@08:01', '2026-11-29T08:00', '2026-11-29T08:01'],
  ['weekly fri@00:00', '2026-12-31T12:00', '2027-01-01T00:00'],
])('%s after %s is %s', (rhythm, after, next) => {
  expect(new Date(nextStart(parseRhythm(rhythm), at(after))).toISOString()).toBe(new Date(at(next)).toISOString())
})

test('hours are counted from the last start, so a late server does not move them, and missed starts are skipped', () => {
  const every = parseRhythm('every 6h')
  expect(nextStart(every, at('2026-11-29T08:59'), at('2026-11-29T08:00'))).toBe(at('2026-11-29T14:00'))
  expect(nextStart(every, at('2026-12-03T01:00'), at('2026-11-29T08:00'))).toBe(at('2026-12-03T02:00'))
})

describe('for any rhythm', () => {
  const time = fc.integer({ min: 0, max: 1439 }).map(minute => new Date(minute * 60_000).toISOString().slice(11, 16))
  const texts = fc.oneof(
    fc.integer({ min: 1, max: maxHours }).map(hours => `every ${hours}h`),
    time.map(at => `daily ${at}`),
    fc.tuple(fc.constantFrom(...weekdays), time).map(([day, at]) => `weekly ${day}@${at}`),
  )
  const instants = fc.integer({ min: at('2020-01-01T00:00'), max: at('2060-01-01T00:00') })
  const periodOf = (text: string) => {
    const [kind, hours] = text.split(/[ h]/)
    return kind === 'every' ? Number(hours) * hourMs : kind === 'daily' ? dayMs : 7 * dayMs
  }

  test('the next start is later, at most one period later, and at its time of the day and of the week', () => {
    fc.assert(
      fc.property(texts, instants, instants, (text, after, from) => {
        const rhythm = parseRhythm(text)
        const next = nextStart(rhythm, after, from)
        expect(next).toBeGreaterThan(after)
        expect(next - after).toBeLessThanOrEqual(periodOf(text))
        const date = new Date(next)
        const at = date.toISOString().slice(11, 16)
        if (text.startsWith('every')) expect(Math.abs(next - from) % periodOf(text)).toBe(0)
        else {
          expect(text).toBe(text.startsWith('daily') ? `daily ${at}` : `weekly ${weekdays[date.getUTCDay()]}@${at}`)
          expect(next).toBe(nextStart(rhythm, after))
        }
      }),
    )
  })

  test('nothing lies between two starts, also at the end of a week and of a year', () => {
    const ends = fc.tuple(fc.integer({ min: 2020, max: 2060 }), fc.integer({ min: -9 * dayMs, max: 9 * dayMs }))
    fc.assert(
      fc.property(texts, ends, (text, [year, offset]) => {
        const rhythm = parseRhythm(text)
        const first = nextStart(rhythm, Date.UTC(year, 0) + offset)
        expect(nextStart(rhythm, first - 1, first)).toBe(first)
        expect(nextStart(rhythm, first, first) - first).toBe(periodOf(text))
      }),
    )
  })

  test('it is read as it is written', () => {
    fc.assert(
      fc.property(texts, text => {
        expect(parseRhythm(text).text).toBe(text)
      }),
    )
  })
})

test.each([
  ['every 0h', 'must be a whole number of hours from 1 to 8784'],
  ['every 8785h', 'must be a whole number of hours from 1 to 8784'],
  ['every 1.5h', 'must be a whole number of hours'],
  ['daily 24:00', '24:00 must be a time of the day in UTC, such as 03:00.'],
  ['daily 03:00 and more', 'must be a time of the day in UTC'],
  ['weekly mon@03:00@04:00', 'must be a time of the day in UTC'],
  ['daily 3', 'must be a time of the day in UTC'],
  [
    'weekly monday@03:00',
    'monday@03:00 must be a weekday (sun, mon, tue, wed, thu, fri, sat) and a time, such as mon@03:00.',
  ],
  ['weekly mon', 'mon must be a weekday (sun, mon, tue, wed, thu, fri, sat) and a time, such as mon@03:00.'],
])('%s is refused', (text, problem) => {
  expect(() => parseRhythm(text)).toThrow(problem)
})

test('an audit event says what was set', () => {
  const rhythm = parseRhythm('weekly MON@3:05')
  expect(describeSchedule({ rhythm, onlyIfChanged: true })).toBe('schedule: weekly mon@03:05, only if the site changed')
  expect(describeSchedule({ rhythm, onlyIfChanged: false })).toBe('schedule: weekly mon@03:05')
  expect(describeSchedule(null)).toBe('schedule: off')
})
