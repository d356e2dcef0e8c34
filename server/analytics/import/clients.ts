import type { VisitorRules } from '../../tenancy/project.ts'
import { findClient, findIpv4End, type Ipv6Prefix, isPort } from '../formats/address.ts'
import type { LineParser, LogLine } from '../formats/log-format.ts'
import { type AddressOwner, findForwardedClient, findKnownOwners, isProxy } from './address-owners.ts'
import { type PeerSpelling, PeerSpellings } from './peer-spellings.ts'

export interface ClientOptions {
  /** Whether the parsers read a field that lists clients, see `ParserOptions.clientField`. */
  clientField?: string | undefined
  /** See `findClient`. */
  trustedProxies?: number | undefined
  /** See `toCanonicalAddress`; missing = that of the rules of the project. */
  ipv6Prefix?: Ipv6Prefix | undefined
}

/**
 * Finds the client of each line as a canonical address, see `toCanonicalAddress`. An IPv4 address is checked in the bytes of
 * the line. All other texts are cached.
 */
export class Clients {
  readonly #hasClientField: boolean
  readonly #trustedProxies: number | undefined
  readonly #ipv6Prefix: Ipv6Prefix | undefined
  readonly #owners = findKnownOwners()
  readonly #bySubscriber = new PeerSpellings(64, this.#owners)
  readonly #byAddress = new PeerSpellings(128, this.#owners)
  /** Those that read the last line. */
  #spellings = this.#bySubscriber
  readonly #listed = Buffer.allocUnsafe(64)
  /** The peer of the last line, unless it is an IPv4 address. */
  #spelling: PeerSpelling | undefined
  /** The client of the last line: the bytes from `start` up to `end`. */
  bytes: Buffer = this.#listed
  start = 0
  end = 0
  /** Whether `find` took it from the list. */
  isListed = false
  /** The owner of the client's address; not looked up by rules 1. */
  owner: AddressOwner | undefined
  /** The name of the proxy, if `find` took the client from what it sent. */
  proxy: string | undefined

  constructor({ clientField, trustedProxies, ipv6Prefix }: ClientOptions) {
    this.#hasClientField = clientField !== undefined
    this.#trustedProxies = trustedProxies
    this.#ipv6Prefix = ipv6Prefix
  }

  /**
   * Returns whether the line has a client: its peer is an address, or a host name if the format has host names, or its list
   * of clients has an address. The list is only read if the peer is not an address, as for a Unix socket.
   */
  has(line: LogLine, parser: LineParser): boolean {
    return this.#readPeer(line, parser) || (line.clientEnd > line.clientStart && this.#readList(line, parser))
  }

  /**
   * Writes the client into `bytes`, `start` and `end`. Call it after `has` returned true for the same line.
   *
   * By rules 2, if no field is set and the peer is a known proxy, the client is what this proxy sent, see
   * `findForwardedClient`. Each line decides by itself, so that a line has the same visitor in every import.
   */
  find(line: LogLine, parser: LineParser, rules: VisitorRules): void {
    const prefix = this.#ipv6Prefix ?? (rules === 1 ? 128 : 64)
    const isRead = this.#spellings.ipv6Prefix === prefix && this.bytes !== this.#listed
    this.#spellings = prefix === 64 ? this.#bySubscriber : this.#byAddress
    // The peer again, with the other prefix, or after an earlier call took the client from a list.
    if (!isRead) this.has(line, parser)
    this.isListed = line.clientEnd > line.clientStart && this.#readList(line, parser)
    this.owner = this.proxy = undefined
    if (rules === 1) return
    this.owner = this.#findOwner()
    if (!this.#hasClientField && isProxy(this.owner)) this.#readForwarded(line, parser, this.owner.name)
  }

  #findOwner(): AddressOwner | undefined {
    const { bytes, start, end } = this
    if (this.isListed) return this.#owners.find(bytes, start, end)
    return this.#spelling ? this.#spelling.owner : this.#owners.findIpv4(bytes, start, end)
  }

  #readForwarded(line: LogLine, parser: LineParser, proxy: string): void {
    const list = parser.findForwarded?.(line)
    const client = list && findForwardedClient(list, this.#spellings.ipv6Prefix, this.#owners)
    if (!client) return
    this.#writeListed(client)
    this.proxy = proxy
    this.owner = this.#owners.find(this.bytes, this.start, this.end)
  }

  #readPeer(line: LogLine, parser: LineParser): boolean {
    const { bytes, addressStart, addressEnd } = line
    const ipv4End = findIpv4End(bytes, addressStart, addressEnd)
    if (ipv4End !== -1 && (ipv4End === addressEnd || isPort(bytes, ipv4End, addressEnd))) {
      this.bytes = bytes
      this.start = addressStart
      this.end = ipv4End
      this.#spelling = undefined
      return true
    }
    return this.#readOther(line, parser)
  }

  #readOther(line: LogLine, parser: LineParser): boolean {
    const { bytes, addressStart, addressEnd } = line
    let start = addressStart
    let end = addressEnd
    // Removed before the look-up, because each connection has another port.
    if (bytes[start] === 0x5b) {
      const close = bytes.indexOf(0x5d, start)
      if (close !== -1 && (close + 1 === end || (close < end && isPort(bytes, close + 1, end)))) {
        start++
        end = close
      }
    }
    const spelling = this.#spellings.find(bytes, start, end)
    this.#spelling = spelling
    if (spelling.kind === 'none') return false
    if (spelling.kind === 'hostname' && (start !== addressStart || !parser.mayHaveHostname?.(line))) return false
    const isCanonical = spelling.start === -1
    this.bytes = isCanonical ? bytes : this.#spellings.canonical
    this.start = isCanonical ? start : spelling.start
    this.end = isCanonical ? end : spelling.end
    return true
  }

  /** Reads the client of the list. Changes nothing and returns false when the list has no client. */
  #readList({ bytes, clientStart, clientEnd }: LogLine, parser: LineParser): boolean {
    const list = parser.decodeHeader(bytes.toString('latin1', clientStart, clientEnd))
    const client = findClient(list, this.#trustedProxies, this.#spellings.ipv6Prefix)
    if (client === undefined) return false
    this.#writeListed(client)
    return true
  }

  #writeListed(client: string): void {
    this.bytes = this.#listed
    this.start = 0
    this.end = this.#listed.write(client, 'latin1')
  }
}
