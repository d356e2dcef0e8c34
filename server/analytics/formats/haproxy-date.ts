import { skipFraction } from './iso-time.ts'
import { LogDateReader } from './log-date.ts'

const dateBytes = '20/Nov/2026:10:11:12'.length

/** Reads dates such as `20/Nov/2026:10:11:12.345`, which have no time zone and are read as UTC. */
export class HaproxyDateReader {
  readonly #dates = new LogDateReader()
  readonly #text = Buffer.from('20/Nov/2026:10:11:12 +0000')
  /** End of the last date. */
  end = 0

  /** Returns the date at `from` in milliseconds since 1970, without its fraction; NaN when it is not a valid date. */
  read(bytes: Buffer, from: number): number {
    bytes.copy(this.#text, 0, from, from + dateBytes)
    this.end = skipFraction(bytes, from + dateBytes, bytes.length)
    return this.#dates.read(this.#text, 0)
  }
}
