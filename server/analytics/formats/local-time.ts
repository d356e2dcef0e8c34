const hourMs = 3_600_000

/** Returns whether a text is the name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * Converts local times to UTC. The hour that clocks show twice in autumn is read as its first pass, and the one that they
 * skip in spring as if they did not.
 */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat
  /** The last local hour, and its offset: neighbouring lines mostly have the same. */
  #hour = Number.NaN
  #offsetMs = 0

  /** @throws {RangeError} see `isTimeZone`. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  }

  /** @param localMs the local time as if it were UTC, in milliseconds since 1970; NaN stays NaN */
  toUtc(localMs: number): number {
    if (Number.isNaN(localMs)) return localMs
    const hour = Math.floor(localMs / hourMs)
    if (hour !== this.#hour) {
      this.#hour = hour
      const before = this.#offsetAt(localMs - 24 * hourMs)
      const during = this.#offsetAt(localMs - before)
      this.#offsetMs = this.#offsetAt(localMs - during) === during ? during : before
    }
    return localMs - this.#offsetMs
  }

  /** Returns the offset at an instant, such as 3,600,000 for `GMT+01:00`. */
  #offsetAt(utcMs: number): number {
    const text = this.#format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours = '0', minutes = '0'] = /^GMT([+-])(\d{2}):(\d{2})/.exec(text) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  }
}
