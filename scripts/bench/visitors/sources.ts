import { agents, groups } from './agents.ts'
import { scramble } from './random.ts'

/** Computes address and user agent of a visitor from its number, so that millions of visitors need no memory. */
export class Sources {
  readonly assistants: number
  readonly crawlers = 60
  readonly others = 300
  /** The number of the first human; programs have lower numbers. */
  readonly firstPerson: number

  /** @param assistants number of addresses that fetch pages for assistants */
  constructor(assistants: number) {
    this.assistants = assistants
    this.firstPerson = assistants + this.crawlers + this.others
    if (this.firstPerson > maxPrograms)
      throw new RangeError(`${this.firstPerson} programs are too many: only ${maxPrograms} have distinct addresses.`)
  }

  /** Index into `agents`. */
  agentOf(visitor: number): number {
    const person = visitor - this.firstPerson
    if (person >= 0) {
      const host = Math.floor(person / peoplePerHost)
      // The square makes new versions frequent. Visitors with the same address have different browsers, so they are distinct.
      const share = scramble(host) / 0x1_0000_0000
      return (Math.floor(share * share * groups.browsers.count) + (person % peoplePerHost)) % groups.browsers.count
    }
    if (visitor < this.assistants) return groups.assistants.start + (visitor % groups.assistants.count)
    const crawler = visitor - this.assistants
    if (crawler < this.crawlers) return groups.crawlers.start + (crawler % groups.crawlers.count)
    return groups.others.start + ((crawler - this.crawlers) % groups.others.count)
  }

  kindOf(visitor: number): (typeof agents)[number]['kind'] {
    return (agents[this.agentOf(visitor)] as (typeof agents)[number]).kind
  }

  /**
   * Writes the address of a visitor in ASCII and returns its end. Six of seven addresses are private (RFC 1918). The others
   * have the documentation prefix of IPv6 (RFC 3849).
   */
  writeAddress(visitor: number, bytes: Uint8Array, at: number): number {
    const isPerson = visitor >= this.firstPerson
    const host = isPerson ? Math.floor((visitor - this.firstPerson) / peoplePerHost) : visitor
    if (host > 0xff_ffff) throw new RangeError('Too many people for the address range.')
    if (host % 7 === 3) return writeIpv6(Math.imul(host, 0x9e3779b1) >>> 0, isPerson ? 0x31 : 0x32, bytes, at)
    // An odd factor keeps the numbers distinct, and separates consecutive visitors.
    if (isPerson) return writeIpv4(0x0a00_0000 | (Math.imul(host, 0x9e3779b1) & 0xff_ffff), bytes, at)
    return writeIpv4(0xac10_0000 | (Math.imul(host, 0x9e3779b1) & 0x0f_ffff), bytes, at)
  }
}

const peoplePerHost = 3
const maxPrograms = 0x10_0000

function writeIpv4(address: number, bytes: Uint8Array, from: number): number {
  let at = from
  for (let shift = 24; shift >= 0; shift -= 8) {
    const part = (address >>> shift) & 0xff
    if (part >= 100) bytes[at++] = 0x30 + Math.floor(part / 100)
    if (part >= 10) bytes[at++] = 0x30 + (Math.floor(part / 10) % 10)
    bytes[at++] = 0x30 + (part % 10)
    if (shift > 0) bytes[at++] = 0x2e
  }
  return at
}

const ipv6Prefix = Buffer.from('2001:db8:')

function writeIpv6(host: number, last: number, bytes: Uint8Array, from: number): number {
  bytes.set(ipv6Prefix, from)
  let at = writeHex(host >>> 16, bytes, from + ipv6Prefix.length)
  bytes[at++] = 0x3a
  at = writeHex(host & 0xffff, bytes, at)
  bytes[at++] = 0x3a
  bytes[at++] = 0x3a
  bytes[at++] = last
  return at
}

function writeHex(value: number, bytes: Uint8Array, from: number): number {
  let at = from
  let isLeading = true
  for (let shift = 12; shift >= 0; shift -= 4) {
    const digit = (value >>> shift) & 0xf
    if (digit === 0 && isLeading && shift > 0) continue
    isLeading = false
    bytes[at++] = digit < 10 ? 0x30 + digit : 0x57 + digit
  }
  return at
}
