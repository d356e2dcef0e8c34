import { findKnownOwners, isProxy } from './address-owners.ts'

/** So many addresses are those of readers, so no more are kept. */
const maxAddresses = 1000

/**
 * Collects the visitors of a log that have the address of a proxy. A few private addresses with many browsers each are proxies
 * before the server; in an intranet, each address has one or two browsers.
 */
export class ProxiedVisitors {
  /** Visitors with a private address. */
  ofPrivate = 0
  /** Visitors by the CDN whose address they have. */
  readonly ofCdns = new Map<string, number>()
  readonly #addresses = new Set<string>()

  /** The number of private addresses; infinite when there are too many for proxies. */
  get privateAddresses(): number {
    return this.#addresses.size < maxAddresses ? this.#addresses.size : Number.POSITIVE_INFINITY
  }

  /** Adds a new visitor with the address in `bytes` from `start` up to `end`. */
  add(bytes: Buffer, start: number, end: number): void {
    const owner = findKnownOwners().find(bytes, start, end)
    if (!isProxy(owner)) return
    if (owner.kind === 'proxy') {
      this.ofCdns.set(owner.name, (this.ofCdns.get(owner.name) ?? 0) + 1)
      return
    }
    this.ofPrivate++
    if (this.#addresses.size < maxAddresses) this.#addresses.add(bytes.toString('latin1', start, end))
  }
}
