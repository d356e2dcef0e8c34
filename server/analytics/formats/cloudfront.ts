import { toUtcMs } from '../day.ts'
import { readDigits } from './log-date.ts'
import {
  findQuery,
  type LineParser,
  type LogFormat,
  LogFormatError,
  type LogLine,
  type Parsed,
  type ParserOptions,
} from './log-format.ts'

/**
 * CloudFront's standard logs: W3C extended format, with tab-separated columns named by `#Fields:`. A client field is the
 * column `x-forwarded-for` or `c-ip`.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html
 */
export const cloudfront: LogFormat = {
  name: 'cloudfront',
  hasHost: true,
  open: options => new CloudfrontParser(options),
  recognizes(bytes, start, end) {
    const text = bytes.toString('latin1', start, Math.min(end, start + 1024))
    return (
      /^#Version: |^#Fields: .*\bcs-uri-stem\b/.test(text) ||
      /^\d{4}-\d\d-\d\d\t\d\d:\d\d:\d\d\t([^\t]*\t){9}/.test(text)
    )
  },
}

/** The columns of a log without a header. CloudFront has kept this order since 2012 and appends new columns. */
const usualColumns =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) ' +
  'cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for'

const tab = 0x09
const dash = 0x2d
const fieldsHeader = Buffer.from('#Fields: ')
const clientFields = ['x-forwarded-for', 'c-ip']

interface Columns {
  date: number
  time: number
  address: number
  method: number
  path: number
  status: number
  userAgent: number
  referrer: number
  /** The host that the client requested; `cs(Host)` is the host of the distribution. */
  host: number
  client: number
}

class CloudfrontParser implements LineParser {
  readonly #clientField: string | undefined
  #columns: Columns
  /** Start of each column of the last line; a column ends one byte before the next one starts. */
  readonly #starts = new Uint32Array(64)

  constructor({ clientField }: ParserOptions) {
    if (clientField !== undefined && !clientFields.includes(clientField)) {
      throw new LogFormatError(
        `${clientField} is unknown. CloudFront has ${clientFields.join(' and ')}.`,
        'client-field',
      )
    }
    this.#clientField = clientField
    this.#columns = findColumns(usualColumns, clientField)
  }

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    if (bytes[start] === 0x23) return this.#readComment(bytes, start, end)
    const { date, time, address, method, path, status, userAgent, referrer, host, client } = this.#columns
    const count = this.#split(bytes, start, end)
    if (Math.max(date, time, address, method, path, status, userAgent) >= count) return 'malformed'
    const statusStart = this.#startOf(status)
    line.status = readDigits(bytes, statusStart, 3)
    if (Number.isNaN(line.status)) return 'malformed'
    line.bytes = bytes
    line.atMs = readTime(bytes, this.#startOf(date), this.#startOf(time))
    line.addressStart = this.#startOf(address)
    line.addressEnd = this.#endOf(address)
    if (line.addressStart === line.addressEnd) return 'malformed'
    line.isGet = isGet(bytes, this.#startOf(method), this.#endOf(method))
    line.targetStart = this.#startOf(path)
    line.targetEnd = findQuery(bytes, line.targetStart, this.#endOf(path))
    line.userAgentStart = this.#startOf(userAgent)
    line.userAgentEnd = this.#endOf(userAgent)
    const hasReferrer = referrer < count && bytes[this.#startOf(referrer)] !== dash
    line.referrerStart = hasReferrer ? this.#startOf(referrer) : 0
    line.referrerEnd = hasReferrer ? this.#endOf(referrer) : 0
    line.hostStart = host < count ? this.#startOf(host) : 0
    line.hostEnd = host < count ? this.#endOf(host) : 0
    const hasClient = client < count && bytes[this.#startOf(client)] !== dash
    line.clientStart = hasClient ? this.#startOf(client) : 0
    line.clientEnd = hasClient ? this.#endOf(client) : 0
    return 'request'
  }

  /** Decodes twice, because CloudFront often encodes a header twice. */
  decodeHeader(text: string): string {
    return decodePercent(decodePercent(text))
  }

  /** Decodes the percent signs of the sent path, because CloudFront encodes them: `/a%20b` is logged as `/a%2520b`. */
  decodeTarget(text: string): string {
    return text.replaceAll(/%25(?=[0-9a-f]{2})/gi, '%')
  }

  #readComment(bytes: Buffer, start: number, end: number): Parsed {
    if (bytes.subarray(start, start + fieldsHeader.length).equals(fieldsHeader)) {
      this.#columns = findColumns(bytes.toString('latin1', start + fieldsHeader.length, end), this.#clientField)
    }
    return 'comment'
  }

  /** Stores the starts of the columns, and returns the number of columns. */
  #split(bytes: Buffer, start: number, end: number): number {
    const starts = this.#starts
    const maxColumns = starts.length - 1
    starts[0] = start
    let count = 1
    for (let i = start; i < end && count < maxColumns; i++) if (bytes[i] === tab) starts[count++] = i + 1
    starts[count] = end + 1
    return count
  }

  #startOf(column: number): number {
    return this.#starts[column] as number
  }

  #endOf(column: number): number {
    return (this.#starts[column + 1] as number) - 1
  }
}

function findColumns(header: string, clientField: string | undefined): Columns {
  const names = header.trim().split(/[ \t]+/)
  const find = (name: string) => {
    const column = names.indexOf(name)
    return column === -1 ? Number.POSITIVE_INFINITY : column
  }
  const hostHeader = find('x-host-header')
  return {
    date: find('date'),
    time: find('time'),
    address: find('c-ip'),
    method: find('cs-method'),
    path: find('cs-uri-stem'),
    status: find('sc-status'),
    userAgent: find('cs(User-Agent)'),
    referrer: find('cs(Referer)'),
    host: Number.isFinite(hostHeader) ? hostHeader : find('cs(Host)'),
    client: clientField === undefined ? Number.POSITIVE_INFINITY : find(clientField),
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
