import { dayMs } from '../../base/day-ms.ts'
import { nameDialect } from '../envelopes/detect-dialect.ts'
import { findKnownOwners, isProxy } from './address-owners.ts'
import { type FormatVerdict, FormatWindow } from './format-window.ts'
import { type ImportTally, sum } from './import-tally.ts'

/** What is known about one log. `findSuspicions` judges it. */
export interface LogEvidence {
  lines: number
  filtered: ImportTally['filtered']
  malformed: ImportTally['malformed']
  /** Page views: human, AI and neither. */
  views: number
  /** Page views of people and AI. */
  visitorViews: number
  /** Whether a field that lists the client is set. */
  hasClientField: boolean
  /** The other format of lines that could not be read; undefined = they are in none. */
  unread: UnreadLines | undefined
  /** NULs that were skipped before lines. */
  nulBytes: number
  isUtf16: boolean
  /** The result of the format detection; undefined when the format was given, or too few lines were read so far. */
  detection: Detection | undefined
  viewed: Readonly<Omit<ViewEvidence, 'countView' | 'countVisitor' | 'countForwarded'>>
}

/** The format of the first lines; without `format`, none was recognized. */
export type Detection = Pick<FormatVerdict, 'lines' | 'readLines' | 'other'> & { format: string | undefined }

/** What the reader of the lines knows. */
export type ReadLines = Pick<LogEvidence, 'nulBytes' | 'isUtf16' | 'detection' | 'hasClientField'>

/** Collects the evidence about the log that is being read. */
export class EvidenceCollector {
  readonly viewed = new ViewEvidence()
  readonly unread = new UnreadSample()
  readonly #before: ImportTally
  readonly #nulBytesBefore: number
  /** @param before the counts of all earlier logs */
  constructor(before: ImportTally, nulBytesBefore: number) {
    this.#before = before
    this.#nulBytesBefore = nulBytesBefore
  }

  /** @param tally the counts of all logs so far */
  summarize(tally: ImportTally, { nulBytes, isUtf16, detection, hasClientField }: ReadLines): LogEvidence {
    const before = this.#before
    return {
      lines: tally.lines - before.lines,
      filtered: subtract(tally.filtered, before.filtered),
      malformed: subtract(tally.malformed, before.malformed),
      views: sum(tally.views) - sum(before.views),
      visitorViews: countVisitorViews(tally) - countVisitorViews(before),
      hasClientField,
      unread: this.unread.detect(),
      nulBytes: nulBytes - this.#nulBytesBefore,
      isUtf16,
      detection,
      viewed: this.viewed,
    }
  }
}

function countVisitorViews({ views: { human, ai } }: ImportTally): number {
  return human + ai
}

function subtract<Counts extends Readonly<Record<string, number>>>(counts: Counts, before: Counts): Counts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, count - (before[name] as number)]),
  ) as Counts
}

/** The rules of texts that no list knows: paths, addresses and numbers have them too. */
const unknownRules: ReadonlySet<string> = new Set(['no browser', 'isbot: http', 'isbot: a name only'])

/** Longest text of an address or a host name. */
const maxAddressBytes = 256

/** Two neighbouring lines whose dates differ by more than this are a jump. A site without a visitor for a year is rare. */
const jumpMs = 366 * dayMs

/**
 * Collects what the page views of one log look like together, without keeping them. It runs for each page view, so it only
 * compares and adds numbers.
 */
class ViewEvidence {
  /** Page views without a user agent. */
  unnamed = 0
  /** Page views by programs that no list knows. */
  ofUnknown = 0
  /** Page views of visitors, human and AI. */
  ofVisitors = 0
  /** Page views whose visitor had none before. */
  ofNewVisitors = 0
  readonly proxied = new ProxiedVisitors()
  /** Page views whose client is from a list of addresses. */
  ofListed = 0
  /** Page views whose client is what a known proxy sent, by the owner of the proxy. */
  readonly forwarded = new Map<string, number>()
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
  countView(atMs: number, hasUserAgent: boolean, rule: string): void {
    if (!hasUserAgent) this.unnamed++
    if (unknownRules.has(rule)) this.ofUnknown++
    if (Math.abs(atMs - this.#lastMs) > jumpMs) this.dateJumps++
    this.#lastMs = atMs
  }

  countForwarded(proxy: string): void {
    this.forwarded.set(proxy, (this.forwarded.get(proxy) ?? 0) + 1)
  }

  /** Counts a view of a visitor with the address in `bytes` from `start` up to `end`. */
  countVisitor(bytes: Buffer, start: number, end: number, isNew: boolean): void {
    this.ofVisitors++
    if (isNew) {
      this.ofNewVisitors++
      this.proxied.add(bytes, start, end)
    }
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

/** Lines that could not be read, and the format that most of them are in. */
export interface UnreadLines {
  /** Lines of the sample that are in the format. */
  lines: number
  /** The name of the format, with its envelope. */
  name: string
}

const detectAll = { format: undefined, envelope: undefined, clientField: undefined }

/**
 * Holds the first lines of a log that could not be read. If the format of a log changes, because the server was configured
 * anew, most of them are in another format.
 */
class UnreadSample {
  #window: FormatWindow | undefined
  /** The last result, and the lines that it is about. */
  #known: { lineCount: number; found: UnreadLines | undefined } | undefined

  readonly add = (bytes: Buffer, start: number, end: number): void => {
    this.#window ??= new FormatWindow(detectAll, false)
    if (!this.#window.isFull) this.#window.add(bytes, start, end)
  }

  /** Finds the format of at least half of the lines; undefined when there is none. */
  detect(): UnreadLines | undefined {
    const window = this.#window
    if (!window) return undefined
    if (this.#known?.lineCount !== window.lineCount) {
      const { dialect, isClear, readLines } = window.detect()
      const name = dialect && nameDialect(dialect.format.name, dialect.envelope?.title)
      this.#known = {
        lineCount: window.lineCount,
        found: name !== undefined && isClear ? { lines: readLines, name } : undefined,
      }
    }
    return this.#known?.found
  }
}

/** So many addresses are those of readers, so no more are kept. */
const maxAddresses = 1000

/**
 * Collects the visitors of a log that have the address of a proxy. A few private addresses with many browsers each are proxies
 * before the server; in an intranet, each address has one or two browsers.
 */
class ProxiedVisitors {
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
