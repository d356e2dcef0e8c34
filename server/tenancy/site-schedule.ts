import type { Awaitable } from '../base/awaitable.ts'
import { dayMs } from '../base/day-ms.ts'
import { OperatorError } from '../base/operator-error.ts'

/** When exports of a site start by themselves, in UTC. */
export interface Rhythm {
  /** As it is stored and shown: `every 6h`, `daily 03:00` or `weekly mon@03:00`. */
  text: string
  periodMs: number
  /** The instant that the periods are counted from; null = an earlier start. */
  anchorMs: number | null
}

export interface ScheduleSettings {
  rhythm: Rhythm
  /** Whether an export starts only if the site changed since the last one. */
  onlyIfChanged: boolean
}

/** The result of the last due start. */
export interface ScheduleOutcome {
  /** 'active' = an export of the site had not ended; 'refused' = the server did not start one, see `problem`. */
  kind: 'started' | 'unchanged' | 'active' | 'refused'
  at: number
  /** Why no export was started; null = the kind says it. */
  problem: string | null
}

/** The schedule of a site. */
export interface SiteSchedule extends ScheduleSettings {
  domain: string
  nextAt: number
  /** What the site looked like when the last export started, see `readSiteFingerprint`; null = that is unknown. */
  fingerprint: string | null
  /** The export that was started last; null = none. */
  jobId: string | null
  startedAt: number | null
  /** Null = no start was due yet. */
  outcome: ScheduleOutcome | null
}

export interface SiteSchedules {
  find(domain: string): Awaitable<SiteSchedule | undefined>
  /** Sets the schedule of a site, and keeps what is known of its last export. */
  put(domain: string, settings: ScheduleSettings, nextAt: number): Awaitable<void>
  /** Returns false if the site has no schedule. */
  delete(domain: string): Awaitable<boolean>
  /** Lists at most `limit` schedules that are due, those that are due longest first, with the organizations of their sites. */
  listDue(now: number, limit: number): Awaitable<(SiteSchedule & { organizationId: string })[]>
  /** Lists at most `limit` schedules of an organization whose last due start was refused, the newest refusal first. */
  listRefused(organizationId: string, limit: number): Awaitable<SiteSchedule[]>
  /** Sets the next start. Returns false if it is no longer at `dueAt`, because another node has claimed it or somebody changed the schedule. */
  claim(domain: string, dueAt: number, nextAt: number): Awaitable<boolean>
  /** Stores the result of a start; `started` if it is an export. */
  record(
    domain: string,
    outcome: ScheduleOutcome,
    started?: Pick<SiteSchedule, 'jobId' | 'fingerprint'>,
  ): Awaitable<void>
}

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
/** A year that has a leap day. */
export const maxHours = 366 * 24
const hourMs = 60 * 60 * 1000
const minuteMs = 60 * 1000

/**
 * Returns the first start after an instant. After downtime, one start replaces those that were missed.
 *
 * @param from where the hours of `every` are counted from: an earlier start, or when the schedule was set
 */
export function nextStart({ periodMs, anchorMs }: Rhythm, after: number, from = after): number {
  const anchor = anchorMs ?? from
  return anchor + (Math.floor((after - anchor) / periodMs) + 1) * periodMs
}

/** @throws {OperatorError} saying what to write. */
export function parseRhythm(text: string): Rhythm {
  const [kind, value] = cut(text, ' ')
  if (kind === 'daily') {
    const { time, sinceMidnightMs } = parseTime(value)
    return { text: `daily ${time}`, periodMs: dayMs, anchorMs: sinceMidnightMs }
  }
  if (kind === 'weekly') {
    const [day, timeText] = cut(value.toLowerCase(), '@')
    const weekday = (weekdays as readonly string[]).indexOf(day)
    if (weekday === -1 || timeText === '')
      throw new OperatorError(`${value} must be a weekday (${weekdays.join(', ')}) and a time, such as mon@03:00.`, 2)
    const { time, sinceMidnightMs } = parseTime(timeText)
    // 1970-01-04 was a Sunday.
    return { text: `weekly ${day}@${time}`, periodMs: 7 * dayMs, anchorMs: (3 + weekday) * dayMs + sinceMidnightMs }
  }
  const hours = parseHours(value)
  return { text: `every ${hours}h`, periodMs: hours * hourMs, anchorMs: null }
}

/** Splits a text at the first mark. */
export function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** @throws {OperatorError} if it is not a whole number of hours, such as `6h` or `6`. */
function parseHours(text: string): number {
  const hours = Number(/^(\d{1,4})h?$/i.exec(text.trim())?.[1])
  if (hours >= 1 && hours <= maxHours) return hours
  throw new OperatorError(`${text} must be a whole number of hours from 1 to ${maxHours}, such as 6h.`, 2)
}

/** @throws {OperatorError} if it is not a time of the day, such as `03:00`. */
function parseTime(text: string): { time: string; sinceMidnightMs: number } {
  const [, hours = '', minutes = ''] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? []
  if (hours === '' || Number(hours) > 23 || Number(minutes) > 59)
    throw new OperatorError(`${text} must be a time of the day in UTC, such as 03:00.`, 2)
  const sinceMidnightMs = Number(hours) * hourMs + Number(minutes) * minuteMs
  return { time: `${hours.padStart(2, '0')}:${minutes}`, sinceMidnightMs }
}

/** The detail of an audit event for the schedule of a site; null = off. */
export function describeSchedule(settings: ScheduleSettings | null): string {
  if (!settings) return 'schedule: off'
  return `schedule: ${settings.rhythm.text}${settings.onlyIfChanged ? ', only if the site changed' : ''}`
}
