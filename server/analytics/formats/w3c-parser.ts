import { toUtcMs } from '../day.ts'
import { isDash } from './combined.ts'
import { readDigits } from './log-date.ts'
import {
  forwardedNames,
  type LineParser,
  LogFormatError,
  type LogLine,
  type Parsed,
  writeTarget,
} from './log-format.ts'

const tab = 0x09
const space = 0x20
const quote = 0x22
const fieldsHeader = Buffer.from('#Fields:')

interface W3cParserOptions {
  clientField: string | undefined
  /** The columns of a log without `#Fields:`; undefined = its lines cannot be read. */
  usualColumns?: string
  /** Whether a log must have the column of the client field. */
  mustHaveClient: boolean
  /** Whether a line must have as many columns as `#Fields:`. */
  isStrict: boolean
}

/**
 * Parses W3C extended log files. The last `#Fields:` names the columns. They are separated by tabs, as CloudFront writes
 * them, or by spaces, as IIS does. A time is UTC.
 * https://www.w3.org/TR/WD-logfile.html
 */
export class W3cParser implements LineParser {
  readonly #options: W3cParserOptions
  #columns: W3cColumns | undefined
  /** Start and end of each column of the last line. */
  readonly #starts = new Uint32Array(64)
  readonly #ends = new Uint32Array(64)
  /** The number of columns of the last line. */
  #count = 0
  #isTabbed = false

  constructor(options: W3cParserOptions) {
    this.#options = options
    const { usualColumns, clientField } = options
    this.#columns = usualColumns === undefined ? undefined : findW3cColumns(usualColumns, clientField, false)
  }

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    if (bytes[start] === 0x23) return this.#readComment(bytes, start, end)
    const columns = this.#columns
    if (!columns || columns.missing.length > 0) return 'malformed'
    const count = this.#split(bytes, start, end)
    if (this.#options.isStrict ? count !== columns.count : count <= columns.userAgent) return 'malformed'
    const { date, time, address, method, path, status, userAgent } = columns
    if (Math.max(date, time, address, method, path, status) >= count) return 'malformed'
    const statusStart = this.#startOf(status)
    line.status = this.#endOf(status) - statusStart === 3 ? readDigits(bytes, statusStart, 3) : Number.NaN
    line.addressStart = this.#startOf(address)
    line.addressEnd = this.#endOf(address)
    if (Number.isNaN(line.status) || line.addressStart === line.addressEnd) return 'malformed'
    line.bytes = bytes
    line.atMs = readTime(bytes, this.#startOf(date), this.#startOf(time))
    line.isGet = isGet(bytes, this.#startOf(method), this.#endOf(method))
    writeTarget(line, bytes, this.#startOf(path), this.#endOf(path))
    line.userAgentStart = this.#startOf(userAgent)
    line.userAgentEnd = this.#endOf(userAgent)
    this.#readOptional(bytes, count, columns, line)
    return 'request'
  }

  /**
   * CloudFront often percent-encodes a header twice. IIS writes a plus for a space. A cache holds the results, so this depends
   * on the last line only in so far as all lines of a log have the same separator.
   */
  readonly decodeHeader = (text: string): string => {
    if (this.#isTabbed) return decodePercent(decodePercent(text))
    return text.includes(' ') ? text : text.replaceAll('+', ' ')
  }

  /** CloudFront encodes the percent signs of the sent path: `/a%20b` is logged as `/a%2520b`. */
  readonly decodeTarget = (text: string): string =>
    this.#isTabbed ? text.replaceAll(/%25(?=[0-9a-f]{2})/gi, '%') : text

  findForwarded({ bytes }: LogLine): string | undefined {
    const column = this.#columns?.forwarded ?? noColumn
    return column < this.#count
      ? this.decodeHeader(bytes.toString('latin1', this.#startOf(column), this.#endOf(column)))
      : undefined
  }

  missingFields(): readonly string[] {
    return this.#columns?.missing ?? ['a header #Fields:']
  }

  #readOptional(bytes: Buffer, count: number, columns: W3cColumns, line: LogLine): void {
    const { query, referrer, accept, host, client } = columns
    const has = (column: number) => column < count && !isDash(bytes, this.#startOf(column), this.#endOf(column))
    if (has(query)) {
      line.queryStart = this.#startOf(query)
      line.queryEnd = this.#endOf(query)
    }
    line.referrerStart = has(referrer) ? this.#startOf(referrer) : 0
    line.referrerEnd = has(referrer) ? this.#endOf(referrer) : 0
    line.acceptStart = has(accept) ? this.#startOf(accept) : 0
    line.acceptEnd = has(accept) ? this.#endOf(accept) : 0
    line.hostStart = host < count ? this.#startOf(host) : 0
    line.hostEnd = host < count ? this.#endOf(host) : 0
    line.clientStart = has(client) ? this.#startOf(client) : 0
    line.clientEnd = has(client) ? this.#endOf(client) : 0
  }

  #readComment(bytes: Buffer, start: number, end: number): Parsed {
    for (let i = 0; i < fieldsHeader.length; i++) if (bytes[start + i] !== fieldsHeader[i]) return 'comment'
    const list = bytes.toString('latin1', start + fieldsHeader.length, end)
    this.#columns = findW3cColumns(list, this.#options.clientField, this.#options.mustHaveClient)
    return 'comment'
  }

  /** Stores the positions of the columns, and returns their number. */
  #split(bytes: Buffer, start: number, end: number): number {
    const count = this.#splitAtTabs(bytes, start, end)
    this.#isTabbed = count > 1
    this.#count = this.#isTabbed ? count : this.#splitAtSpaces(bytes, start, end)
    return this.#count
  }

  #splitAtTabs(bytes: Buffer, start: number, end: number): number {
    const maxColumns = this.#starts.length
    let count = 0
    let from = start
    for (let i = start; i <= end && count < maxColumns; i++) {
      if (i < end && bytes[i] !== tab) continue
      this.#starts[count] = from
      this.#ends[count] = i
      count++
      from = i + 1
    }
    return count
  }

  /** A value in quotes may contain spaces. */
  #splitAtSpaces(bytes: Buffer, start: number, end: number): number {
    const maxColumns = this.#starts.length
    let count = 0
    let at = start
    while (at < end && count < maxColumns) {
      const isQuoted = bytes[at] === quote
      let i = isQuoted ? at + 1 : at
      while (
        i < end &&
        !(isQuoted ? bytes[i] === quote && (i + 1 === end || bytes[i + 1] === space) : bytes[i] === space)
      )
        i++
      this.#starts[count] = isQuoted ? at + 1 : at
      this.#ends[count] = i
      count++
      at = isQuoted ? i + 2 : i + 1
    }
    return count
  }

  #startOf(column: number): number {
    return this.#starts[column] as number
  }

  #endOf(column: number): number {
    return this.#ends[column] as number
  }
}

/** Reads `2026-11-20` and `10:11:12` in UTC. */
function readTime(bytes: Buffer, dateStart: number, timeStart: number): number {
  const utcMs = toUtcMs(
    readDigits(bytes, dateStart, 4),
    readDigits(bytes, dateStart + 5, 2),
    readDigits(bytes, dateStart + 8, 2),
    readDigits(bytes, timeStart, 2),
    readDigits(bytes, timeStart + 3, 2),
    readDigits(bytes, timeStart + 6, 2),
  )
  return utcMs ?? Number.NaN
}

function isGet(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 3 && bytes[start] === 0x47 && bytes[start + 1] === 0x45 && bytes[start + 2] === 0x54
}

function decodePercent(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Positions of the columns, from 0; infinity = the log does not have the column. */
interface W3cColumns {
  /** The number of columns of a line. */
  count: number
  date: number
  time: number
  address: number
  method: number
  path: number
  query: number
  status: number
  userAgent: number
  referrer: number
  accept: number
  /** In a CloudFront log, the host that the client requested; `cs(Host)` is the host of the distribution. */
  host: number
  client: number
  /** The column with X-Forwarded-For. */
  forwarded: number
  /** Names of the needed columns that the log does not have. */
  missing: readonly string[]
}

const noColumn = Number.POSITIVE_INFINITY

/**
 * Finds the columns in the list of `#Fields:`.
 *
 * @throws {LogFormatError} when `mustHaveClient` is set and the log does not have the client field.
 */
function findW3cColumns(list: string, clientField: string | undefined, mustHaveClient: boolean): W3cColumns {
  const names = list
    .trim()
    .toLowerCase()
    .split(/[ \t]+/)
  const missing: string[] = []
  const find = (...wanted: string[]) => {
    const found = wanted.map(name => names.indexOf(name.toLowerCase())).find(column => column !== -1)
    return found ?? noColumn
  }
  const need = (...wanted: [string, ...string[]]) => {
    const column = find(...wanted)
    if (column === noColumn) missing.push(wanted[0])
    return column
  }
  const client = clientField === undefined ? noColumn : find(clientField, `cs(${clientField})`)
  if (mustHaveClient && clientField !== undefined && client === noColumn) {
    throw new LogFormatError(
      `${clientField} is not a column of this log. Its columns are ${list.trim()}.`,
      'client-field',
    )
  }
  return {
    count: names.length,
    date: need('date'),
    time: need('time'),
    address: need('c-ip'),
    method: need('cs-method'),
    path: need('cs-uri-stem', 'cs-uri'),
    query: find('cs-uri-query'),
    status: need('sc-status'),
    userAgent: need('cs(User-Agent)'),
    referrer: find('cs(Referer)', 'cs(Referrer)'),
    accept: find('cs(Accept)'),
    host: find('x-host-header', 'cs-host', 'cs(Host)'),
    client,
    forwarded: find('cs(X-Forwarded-For)', ...forwardedNames),
    missing,
  }
}
