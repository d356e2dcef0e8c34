/** Private, loopback, link-local and shared addresses (RFC 6890): not those of readers in the internet. */
const insideAddress =
  /^(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/

/** So many addresses are those of readers, so no more are kept. */
const maxAddresses = 1000

/**
 * Collects the visitors of a log whose address is not in the internet. A few such addresses with many browsers each are proxies
 * before the server; in an intranet, each address has one or two browsers.
 */
export class InsideAddresses {
  visitors = 0
  readonly #addresses = new Set<string>()

  /** The number of addresses; infinite when there are too many for proxies. */
  get addresses(): number {
    return this.#addresses.size < maxAddresses ? this.#addresses.size : Number.POSITIVE_INFINITY
  }

  /** Adds a new visitor with the address in `bytes` from `start` up to `end`. */
  add(bytes: Buffer, start: number, end: number): void {
    const text = bytes.toString('latin1', start, end)
    if (!insideAddress.test(text)) return
    this.visitors++
    if (this.#addresses.size < maxAddresses) this.#addresses.add(text)
  }
}
