import {
  findClient,
  findIpv4End,
  type Ipv6Prefix,
  isPort,
  toCanonicalAddress,
  toCanonicalHostname,
} from '../formats/address.ts'
import type { LineParser, LogLine } from '../formats/log-format.ts'
import { ByteTable } from '../hash-table.ts'
import { findForwardedClient, findProxy, proxyNetworks } from './proxy-networks.ts'

export interface ClientOptions {
  /** Whether the parsers read a field that lists clients, see `ParserOptions.clientField`. */
  clientField?: string | undefined
  /** See `findClient`. */
  trustedProxies?: number | undefined
  /** See `toCanonicalAddress`; 128 when missing. */
  ipv6Prefix?: Ipv6Prefix | undefined
}

/** Limits of the cache. When it is full, it is cleared: an address that occurs again is converted again, in about 1 us. */
const maxCached = 50_000
const maxCachedBytes = 4 * 1024 * 1024

/** A cached text of an address field. */
interface Spelling {
  kind: 'address' | 'hostname' | 'none'
  /** The canonical text as offsets into `#canonical`; -1 = the text is canonical. */
  start: number
  end: number
  /** The owner of the address, if proxies have it. */
  proxy?: string | undefined
}

const invalid: Spelling = { kind: 'none', start: -1, end: -1 }
const canonicalAddress: Spelling = { kind: 'address', start: -1, end: -1 }
const canonicalHostname: Spelling = { kind: 'hostname', start: -1, end: -1 }

/**
 * Finds the client of each line as a canonical address, see `toCanonicalAddress`. An IPv4 address is checked in the bytes of
 * the line. All other texts are cached.
 */
export class Clients {
  readonly #hasClientField: boolean
  readonly #trustedProxies: number | undefined
  readonly #ipv6Prefix: Ipv6Prefix
  readonly #table = new ByteTable()
  #spellings: Spelling[] = []
  #canonical = Buffer.allocUnsafe(4096)
  #canonicalBytes = 0
  readonly #listed = Buffer.allocUnsafe(64)
  /** The peer of the last line, unless it is an IPv4 address. */
  #spelling: Spelling | undefined
  /** The client of the last line: the bytes from `start` up to `end`. */
  bytes: Buffer = this.#listed
  start = 0
  end = 0
  /** Whether `find` took it from the list. */
  isListed = false
  /** The owner of the peer, if `find` took the client from what this proxy sent. */
  proxy: string | undefined

  constructor({ clientField, trustedProxies, ipv6Prefix = 128 }: ClientOptions) {
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
   * If no field is set and the peer is a known proxy, the client is what this proxy sent, see `findForwardedClient`. Each line
   * decides by itself, so that a line has the same visitor in every import.
   */
  find(line: LogLine, parser: LineParser): void {
    this.isListed = line.clientEnd > line.clientStart && this.#readList(line, parser)
    this.proxy = this.#hasClientField ? undefined : this.#readForwarded(line, parser)
  }

  #readForwarded(line: LogLine, parser: LineParser): string | undefined {
    const proxy = this.#spelling ? this.#spelling.proxy : proxyNetworks.find(this.bytes, this.start, this.end)
    const list = proxy === undefined ? undefined : parser.findForwarded?.(line)
    const client = list && findForwardedClient(list, this.#ipv6Prefix)
    if (!client) return undefined
    this.#writeListed(client)
    return proxy
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
    const spelling = this.#findSpelling(bytes, start, end)
    this.#spelling = spelling
    if (spelling.kind === 'none') return false
    if (spelling.kind === 'hostname' && (start !== addressStart || !parser.mayHaveHostname?.(line))) return false
    const isCanonical = spelling.start === -1
    this.bytes = isCanonical ? bytes : this.#canonical
    this.start = isCanonical ? start : spelling.start
    this.end = isCanonical ? end : spelling.end
    return true
  }

  #findSpelling(bytes: Buffer, start: number, end: number): Spelling {
    const number = this.#table.find(bytes, start, end)
    if (number !== -1) return this.#spellings[number] as Spelling
    if (this.#table.size >= maxCached || this.#table.sizeBytes + (end - start) > maxCachedBytes) {
      this.#clear()
      this.#table.find(bytes, start, end)
    }
    const spelling = this.#convert(bytes.toString('latin1', start, end))
    this.#table.add(bytes, start, end)
    this.#spellings.push(spelling)
    return spelling
  }

  #convert(text: string): Spelling {
    const address = toCanonicalAddress(text, this.#ipv6Prefix)
    if (address !== undefined) {
      // Before the address is cut to its first 64 bits.
      const proxy = findProxy(toCanonicalAddress(text) ?? '')
      if (address !== text) return { ...this.#hold('address', address), proxy }
      return proxy === undefined ? canonicalAddress : { ...canonicalAddress, proxy }
    }
    const hostname = toCanonicalHostname(text)
    if (hostname === undefined) return invalid
    return hostname === text ? canonicalHostname : this.#hold('hostname', hostname)
  }

  #hold(kind: Spelling['kind'], text: string): Spelling {
    const start = this.#canonicalBytes
    if (start + text.length > this.#canonical.length) {
      const larger = Buffer.allocUnsafe(2 * this.#canonical.length)
      larger.set(this.#canonical)
      this.#canonical = larger
    }
    this.#canonicalBytes += this.#canonical.write(text, start, 'latin1')
    return { kind, start, end: this.#canonicalBytes }
  }

  #clear(): void {
    this.#table.clear()
    this.#spellings = []
    this.#canonicalBytes = 0
  }

  /** Reads the client of the list. Changes nothing and returns false when the list has no client. */
  #readList({ bytes, clientStart, clientEnd }: LogLine, parser: LineParser): boolean {
    const list = parser.decodeHeader(bytes.toString('latin1', clientStart, clientEnd))
    const client = findClient(list, this.#trustedProxies, this.#ipv6Prefix)
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
