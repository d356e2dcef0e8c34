import { dayMs } from '../day.ts'

/** Longest text of an address or a host name. */
const maxAddressBytes = 256

/** Two neighbouring lines whose dates differ by more than this are a jump. A site without a visitor for a year is rare. */
const jumpMs = 366 * dayMs

/**
 * Collects what the page views of one log look like together, without keeping them. It runs for each page view, so it only
 * compares and adds numbers.
 */
export class ViewEvidence {
  /** Page views without a user agent. */
  unnamed = 0
  /** Page views of visitors, human and AI. */
  ofVisitors = 0
  /** Page views whose visitor had none before. */
  ofNewVisitors = 0
  /** Page views whose client is from a list of addresses. */
  ofListed = 0
  /** Pairs of neighbouring page views whose dates are more than a year apart. */
  dateJumps = 0
  #lastMs = Number.NaN
  /** The candidate of a majority vote (Boyer and Moore, 1981): an address with over half of the views is always found. */
  readonly #address = Buffer.alloc(maxAddressBytes)
  #addressBytes = 0
  #votes = 0

  /**
   * Views that one address has at least: its votes minus those of all others. An address with a share of 97.5% of the views
   * has at least 95% here.
   */
  get ofOneAddress(): number {
    return this.#votes
  }

  /** @param atMs milliseconds since 1970 */
  countView(atMs: number, hasUserAgent: boolean): void {
    if (!hasUserAgent) this.unnamed++
    if (Math.abs(atMs - this.#lastMs) > jumpMs) this.dateJumps++
    this.#lastMs = atMs
  }

  /** Counts a view of a visitor with the address in `bytes` from `start` up to `end`. */
  countVisitor(bytes: Uint8Array, start: number, end: number, isNew: boolean): void {
    this.ofVisitors++
    if (isNew) this.ofNewVisitors++
    if (this.#isCandidate(bytes, start, end)) this.#votes++
    else if (this.#votes > 0) this.#votes--
    else {
      this.#votes = 1
      this.#addressBytes = Math.min(end - start, maxAddressBytes)
      for (let i = 0; i < this.#addressBytes; i++) this.#address[i] = bytes[start + i] as number
    }
  }

  #isCandidate(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start !== this.#addressBytes) return false
    // From the end, because addresses of one network begin alike.
    for (let i = this.#addressBytes - 1; i >= 0; i--) if (bytes[start + i] !== this.#address[i]) return false
    return true
  }
}
