import { isIPv4, isIPv6 } from 'node:net'
import { isDash, readRequest, unescapeField } from './combined.ts'
import { IsoTimeReader } from './iso-time.ts'
import { readDigits } from './log-date.ts'
import {
  emptyLogLine,
  type LineParser,
  type LogFormat,
  type LogLine,
  type Parsed,
  type ParserOptions,
  refuseClientField,
} from './log-format.ts'
import { WordReader } from './word-reader.ts'

/**
 * Access logs of AWS Application Load Balancers. They have no referrer.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html
 */
export const alb: LogFormat = createFormat('aws-alb', true, {
  time: 1,
  client: 3,
  status: 8,
  request: 12,
  userAgent: 13,
  host: 18,
  minWords: 17,
})

/**
 * Access logs of AWS Classic Load Balancers for HTTP and HTTPS. They have no referrer.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/access-log-collection.html
 */
export const elb: LogFormat = createFormat('aws-elb', false, {
  time: 0,
  client: 2,
  status: 7,
  request: 11,
  userAgent: 12,
  host: Number.POSITIVE_INFINITY,
  minWords: 13,
})

/** Positions of the fields, from 0. */
interface Fields {
  time: number
  client: number
  status: number
  request: number
  userAgent: number
  host: number
  /** A shorter line is truncated. */
  minWords: number
}

const types = /^(https?|h2|wss?|grpcs?) $/

function createFormat(name: string, hasHost: boolean, fields: Fields): LogFormat {
  const open = (options: ParserOptions) => {
    refuseClientField(options, name)
    return new LoadBalancerParser(fields)
  }
  return {
    name,
    hasHost,
    open,
    recognizes: (bytes, start, end) => open({}).parse(bytes, start, end, emptyLogLine()) === 'request',
  }
}

class LoadBalancerParser implements LineParser {
  readonly #fields: Fields
  readonly #times = new IsoTimeReader()
  readonly #words = new WordReader(20)

  constructor(fields: Fields) {
    this.#fields = fields
  }

  parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    const { time, client, status, request, userAgent, host, minWords } = this.#fields
    const { starts, ends } = this.#words
    const count = this.#words.read(bytes, start, end)
    if (count < minWords) return 'malformed'
    const timeStart = starts[time] as number
    if (time === 1 && !types.test(bytes.toString('latin1', start, Math.min(timeStart, start + 8)))) return 'malformed'
    const requestStart = starts[request] as number
    if (bytes[requestStart - 1] !== 0x22 || bytes[(starts[userAgent] as number) - 1] !== 0x22) return 'malformed'
    line.atMs = this.#times.read(bytes, timeStart, ends[time] as number)
    if (Number.isNaN(line.atMs) || !setAddress(bytes, starts[client] as number, ends[client] as number, line)) {
      return 'malformed'
    }
    line.bytes = bytes
    // A dash: the load balancer sent no answer.
    const hasStatus = !isDash(bytes, starts[status] as number, ends[status] as number)
    line.status = hasStatus ? readDigits(bytes, starts[status] as number, 3) : 0
    if (Number.isNaN(line.status)) return 'malformed'
    line.userAgentStart = starts[userAgent] as number
    line.userAgentEnd = ends[userAgent] as number
    line.hostStart = host < count ? (starts[host] as number) : 0
    line.hostEnd = host < count ? (ends[host] as number) : 0
    readRequest(bytes, requestStart, ends[request] as number, line)
    return 'request'
  }

  decodeHeader = unescapeField
  decodeTarget = unescapeField
}

/** Sets the address of `address:port`, where an IPv6 address has no brackets. */
function setAddress(bytes: Buffer, start: number, end: number, line: LogLine): boolean {
  const colon = bytes.lastIndexOf(0x3a, end - 1)
  if (colon <= start) return false
  const address = bytes.toString('latin1', start, colon)
  const hasBrackets = address.startsWith('[') && address.endsWith(']')
  const isAddress = hasBrackets ? isIPv6(address.slice(1, -1)) : isIPv4(address) || isIPv6(address)
  line.addressStart = hasBrackets ? start + 1 : start
  line.addressEnd = hasBrackets ? colon - 1 : colon
  return isAddress
}
