import type { Project, SaltRotation } from '../tenancy/project.ts'
import { type Day, formatDay, parseDay } from './day.ts'

/** Days whose visitors share a key: a UTC month, or a UTC day. */
export interface KeyPeriod {
  /** `2026-11` or `2026-11-20`. */
  name: string
  from: Day
  /** Exclusive. */
  to: Day
}

/** Finds the keys of the visitor hashes. Synchronous, because a log is hashed line by line; call it once per period. */
export interface VisitorKeys {
  /**
   * Returns the key of a project for a day, at most 64 bytes. Creates the key with the first view of its period. Undefined =
   * the key was destroyed, so visitors of that day can no longer be recognised.
   */
  find(project: Pick<Project, 'id' | 'visitorSaltRotation'>, day: Day): Uint8Array | undefined
}

/** Returns the period of a day. */
export function toKeyPeriod(day: Day, rotation: Exclude<SaltRotation, 'never'>): KeyPeriod {
  const date = formatDay(day)
  if (rotation === 'day') return { name: date, from: day, to: day + 1 }
  const [year = 0, month = 0] = date.split('-').map(Number)
  const next = month === 12 ? toMonth(year + 1, 1) : toMonth(year, month + 1)
  return { name: date.slice(0, 7), from: firstDayOf(date.slice(0, 7)), to: firstDayOf(next) }
}

function toMonth(year: number, month: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`
}

function firstDayOf(month: string): Day {
  return parseDay(`${month}-01`) as Day
}
