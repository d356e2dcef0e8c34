import { BoundedCache } from '../bounded-cache.ts'
import { classify } from '../classify.ts'
import { toDay } from '../day.ts'
import { emptyLogLine, parseLogLine, unescapeField } from '../formats/combined.ts'
import { type KnownPage, type Page, toPage } from '../page.ts'
import type { PageView } from '../unique-visitors.ts'
import type { VisitorHash } from '../visitor.ts'
import type { ImportTally } from './import-tally.ts'

const earliestMs = Date.UTC(2000)
const dayMs = 24 * 60 * 60 * 1000
const longestCachedPath = 512

/**
 * Decides what each line of a log is, counts it, and gathers the views of visitors.
 *
 * In this order: malformed or of no possible date; not a GET; no 2xx or 304; no page (see `toPage`); then who made it. A
 * Markdown view is AI traffic whoever made it.
 */
export class LineReader {
  readonly #tally: ImportTally
  readonly #hash: VisitorHash
  readonly #latestMs: number
  readonly #line = emptyLogLine()
  readonly #pages = new BoundedCache<string, Page>(20_000)
  #views: PageView[] = []

  constructor(tally: ImportTally, hash: VisitorHash, now: number) {
    this.#tally = tally
    this.#hash = hash
    this.#latestMs = now + dayMs
  }

  get viewCount(): number {
    return this.#views.length
  }

  /** The views gathered since the last call. */
  takeViews(): PageView[] {
    const views = this.#views
    this.#views = []
    return views
  }

  readonly countTooLong = (): void => {
    this.#tally.lines++
    this.#tally.malformed['too-long']++
  }

  readonly read = (bytes: Buffer, start: number, end: number): void => {
    const tally = this.#tally
    const line = this.#line
    tally.lines++
    if (!parseLogLine(bytes, start, end, line)) {
      tally.malformed['not-combined']++
    } else if (!(line.atMs >= earliestMs && line.atMs <= this.#latestMs)) {
      tally.malformed['bad-date']++
    } else if (!isGet(bytes, line.requestStart)) {
      tally.filtered.method++
    } else if (!(line.status >= 200 && line.status <= 299) && line.status !== 304) {
      tally.filtered.status++
    } else {
      const page = this.#findPage(bytes)
      if (page.refusal === 'bad-path') tally.malformed['bad-path']++
      else if (page.refusal) tally.filtered[page.refusal]++
      else this.#countView(page, bytes)
    }
  }

  #countView(page: KnownPage, bytes: Buffer): void {
    const tally = this.#tally
    const { addressStart, addressEnd, userAgentStart, userAgentEnd, atMs } = this.#line
    const userAgent = unescapeField(bytes.toString('latin1', userAgentStart, userAgentEnd))
    const told = classify(userAgent)
    const isMarkdownVisit = page.isMarkdown && told.kind !== 'ai'
    const kind = isMarkdownVisit ? 'ai' : told.kind
    const rule = isMarkdownVisit ? 'ai: Markdown view' : told.rule
    tally.views[kind]++
    tally.rules.set(rule, (tally.rules.get(rule) ?? 0) + 1)
    if (kind === 'neither') return
    const day = toDay(atMs)
    if (tally.firstDay === undefined || day < tally.firstDay) tally.firstDay = day
    if (tally.lastDay === undefined || day > tally.lastDay) tally.lastDay = day
    const visitor = this.#hash(bytes.toString('latin1', addressStart, addressEnd), userAgent, day)
    this.#views.push({ path: page.path, day, visitor, kind })
  }

  #findPage(bytes: Buffer): Page {
    const { requestStart, requestEnd } = this.#line
    const targetStart = requestStart + 'GET '.length
    // Queries vary without end: the path alone is worth remembering, and a string cut from it would hold on to the whole.
    const queryStart = findQuery(bytes, targetStart, requestEnd)
    const sent = bytes.toString('latin1', targetStart, queryStart)
    const protocol = queryStart === requestEnd ? sent.lastIndexOf(' HTTP/') : -1
    const path = protocol === -1 ? sent : sent.slice(0, protocol)
    if (path.length > longestCachedPath) return toPage(unescapeField(path))
    const known = this.#pages.get(path)
    if (known) return known
    const page = toPage(unescapeField(path))
    this.#pages.set(path, page)
    return page
  }
}

/** Where the query or the fragment begins, or `end`. */
function findQuery(bytes: Buffer, start: number, end: number): number {
  for (let i = start; i < end; i++) if (bytes[i] === 0x3f || bytes[i] === 0x23) return i
  return end
}

/** `GET ` */
function isGet(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x47 && bytes[at + 1] === 0x45 && bytes[at + 2] === 0x54 && bytes[at + 3] === 0x20
}
