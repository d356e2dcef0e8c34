const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const length = '20/Nov/2026:10:11:12 +0100'.length

/**
 * Writes instants in local time as in a log, `20/Nov/2026:10:11:12 +0100`. The zone is Central Europe, so that local days
 * differ from UTC days and the offset changes in summer.
 */
export class LogDate {
  readonly #text = Buffer.alloc(length)
  #hour = -1

  /** @param atSecond seconds since 1970 */
  write(atSecond: number, bytes: Uint8Array, at: number): number {
    const hour = Math.floor(atSecond / 3600)
    if (hour !== this.#hour) this.#turnTo(hour)
    const text = this.#text
    const second = atSecond - hour * 3600
    const minutes = Math.floor(second / 60)
    text[15] = 0x30 + Math.floor(minutes / 10)
    text[16] = 0x30 + (minutes % 10)
    text[18] = 0x30 + Math.floor((second % 60) / 10)
    text[19] = 0x30 + (second % 10)
    for (let i = 0; i < length; i++) bytes[at + i] = text[i] as number
    return at + length
  }

  #turnTo(hour: number): void {
    this.#hour = hour
    const offset = isSummer(hour) ? 2 : 1
    const local = new Date((hour + offset) * 3_600_000)
    const two = (value: number) => String(value).padStart(2, '0')
    const date = `${two(local.getUTCDate())}/${months[local.getUTCMonth()]}/${local.getUTCFullYear()}`
    this.#text.write(`${date}:${two(local.getUTCHours())}:00:00 +0${offset}00`, 'latin1')
  }
}

/** Summer time: from 01:00 UTC on the last Sunday of March to 01:00 UTC on the last Sunday of October. */
function isSummer(hour: number): boolean {
  const year = new Date(hour * 3_600_000).getUTCFullYear()
  return hour >= lastSunday(year, 2) + 1 && hour < lastSunday(year, 9) + 1
}

/** Returns hours since 1970. Both months have 31 days. */
function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month, 31))
  return last.getTime() / 3_600_000 - last.getUTCDay() * 24
}
