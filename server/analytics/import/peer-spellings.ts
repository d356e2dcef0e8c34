import { type Ipv6Prefix, toCanonicalAddress, toCanonicalHostname } from '../formats/address.ts'
import { ByteTable } from '../hash-table.ts'
import { type AddressOwner, type AddressOwners, findOwner } from './address-owners.ts'

/** Limits of the cache. When it is full, it is cleared: an address that occurs again is converted again, in about 1 us. */
const maxCached = 50_000
const maxCachedBytes = 4 * 1024 * 1024

/** A cached text of an address field. */
export interface PeerSpelling {
  kind: 'address' | 'hostname' | 'none'
  /** The canonical text as offsets into `canonical`; -1 = the text is canonical. */
  start: number
  end: number
  owner?: AddressOwner | undefined
}

const invalid: PeerSpelling = { kind: 'none', start: -1, end: -1 }
const canonicalAddress: PeerSpelling = { kind: 'address', start: -1, end: -1 }
const canonicalHostname: PeerSpelling = { kind: 'hostname', start: -1, end: -1 }

/** Caches the texts of address fields that are not plain IPv4 addresses. */
export class PeerSpellings {
  readonly ipv6Prefix: Ipv6Prefix
  readonly #owners: AddressOwners
  readonly #table = new ByteTable()
  #spellings: PeerSpelling[] = []
  canonical = Buffer.allocUnsafe(4096)
  #canonicalBytes = 0

  constructor(ipv6Prefix: Ipv6Prefix, owners: AddressOwners) {
    this.ipv6Prefix = ipv6Prefix
    this.#owners = owners
  }

  /** Returns the spelling of the text from `start` up to `end`; it is valid until the next call. */
  find(bytes: Buffer, start: number, end: number): PeerSpelling {
    const number = this.#table.find(bytes, start, end)
    if (number !== -1) return this.#spellings[number] as PeerSpelling
    if (this.#table.size >= maxCached || this.#table.sizeBytes + (end - start) > maxCachedBytes) {
      this.#clear()
      this.#table.find(bytes, start, end)
    }
    const spelling = this.#convert(bytes.toString('latin1', start, end))
    this.#table.add(bytes, start, end)
    this.#spellings.push(spelling)
    return spelling
  }

  #convert(text: string): PeerSpelling {
    const address = toCanonicalAddress(text, this.ipv6Prefix)
    if (address !== undefined) {
      // Before the address is cut to its first 64 bits.
      const owner = findOwner(this.#owners, toCanonicalAddress(text) ?? '')
      if (address !== text) return { ...this.#hold('address', address), owner }
      return owner === undefined ? canonicalAddress : { ...canonicalAddress, owner }
    }
    const hostname = toCanonicalHostname(text)
    if (hostname === undefined) return invalid
    return hostname === text ? canonicalHostname : this.#hold('hostname', hostname)
  }

  #hold(kind: PeerSpelling['kind'], text: string): PeerSpelling {
    const start = this.#canonicalBytes
    if (start + text.length > this.canonical.length) {
      const larger = Buffer.allocUnsafe(2 * this.canonical.length)
      larger.set(this.canonical)
      this.canonical = larger
    }
    this.#canonicalBytes += this.canonical.write(text, start, 'latin1')
    return { kind, start, end: this.#canonicalBytes }
  }

  #clear(): void {
    this.#table.clear()
    this.#spellings = []
    this.#canonicalBytes = 0
  }
}
