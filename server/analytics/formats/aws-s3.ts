import { isDash, readRequest, unescapeField } from './combined.ts'
import { LogDateReader, logDateBytes, readDigits } from './log-date.ts'
import {
  emptyLogLine,
  type LineParser,
  type LogFormat,
  type LogLine,
  type Parsed,
  refuseClientField,
} from './log-format.ts'
import { WordReader } from './word-reader.ts'

/**
 * Server access logs of AWS S3.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html
 */
export const s3: LogFormat = {
  name: 'aws-s3',
  hasHost: true,
  open(options) {
    refuseClientField(options, 'aws-s3')
    return new S3Parser()
  },
  recognizes: (bytes, start, end) => new S3Parser().parse(bytes, start, end, emptyLogLine()) === 'request',
}

const time = 2
const address = 3
const operation = 6
const request = 8
const status = 9
const referrer = 15
const userAgent = 16
const host = 22
/** The fields up to the version of the object, which all lines have. */
const minWords = 18

class S3Parser implements LineParser {
  readonly #dates = new LogDateReader()
  readonly #words = new WordReader(24)

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    const { starts, ends } = this.#words
    const count = this.#words.read(bytes, start, end)
    if (count < minWords) return 'malformed'
    const dateStart = starts[time] as number
    const isDate = bytes[dateStart - 1] === 0x5b && (ends[time] as number) - dateStart === logDateBytes
    if (!isDate || !hasDot(bytes, starts[operation] as number, ends[operation] as number)) return 'malformed'
    // Other operations are calls of the API of S3 and events such as the end of an object's life.
    if (!isObjectRequest(bytes, ends[operation] as number)) return 'comment'
    line.status = isDash(bytes, starts[status] as number, ends[status] as number)
      ? 0
      : readDigits(bytes, starts[status] as number, 3)
    if (Number.isNaN(line.status)) return 'malformed'
    line.bytes = bytes
    line.atMs = this.#dates.read(bytes, dateStart)
    line.addressStart = starts[address] as number
    line.addressEnd = ends[address] as number
    const hasReferrer = !isDash(bytes, starts[referrer] as number, ends[referrer] as number)
    line.referrerStart = hasReferrer ? (starts[referrer] as number) : 0
    line.referrerEnd = hasReferrer ? (ends[referrer] as number) : 0
    line.userAgentStart = starts[userAgent] as number
    line.userAgentEnd = ends[userAgent] as number
    line.hostStart = host < count ? (starts[host] as number) : 0
    line.hostEnd = host < count ? (ends[host] as number) : 0
    readRequest(bytes, starts[request] as number, ends[request] as number, line)
    return 'request'
  }

  decodeHeader = unescapeField
  decodeTarget = unescapeField
}

/** Returns whether the operation that ends at `end` is `REST.GET.OBJECT`, `WEBSITE.GET.OBJECT` or the like with HEAD. */
function isObjectRequest(bytes: Buffer, end: number): boolean {
  return (
    bytes.toString('latin1', end - 11, end) === '.GET.OBJECT' ||
    bytes.toString('latin1', end - 12, end) === '.HEAD.OBJECT'
  )
}

/** Returns whether the field has a dot, as operations such as `REST.GET.OBJECT` do. */
function hasDot(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === 0x2e) return true
  return false
}
