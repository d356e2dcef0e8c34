import type { OwnAgentList } from '../../tenancy/project.ts'
import type { DialectSettings } from '../envelopes/detect-dialect.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import { emptyLogLine, type LineParser, type LogFormat, type OnLine, readTarget } from '../formats/log-format.ts'
import type { ViewBatch } from '../view-batch.ts'
import type { VisitorKeys } from '../visitor-keys.ts'
import type { BatchBuilder } from './batch-builder.ts'
import { type ClientOptions, Clients } from './clients.ts'
import { LineDecider, lineRefusals } from './decide-line.ts'
import type { UnreadableReason } from './delivery.ts'
import type { ImportTally } from './import-tally.ts'
import { LineReader } from './line-reader.ts'
import { EvidenceCollector, type LogEvidence } from './log-evidence.ts'
import { PageCache } from './page-cache.ts'
import { UserAgents } from './user-agents.ts'
import { maxLabels, ViewAdder } from './view-adder.ts'
import {
  type ProjectsByHost,
  type ProjectTarget,
  type ProjectViews,
  type VisitedProject,
  VisitedProjects,
} from './visited-projects.ts'

export interface LogReaderOptions extends ClientOptions, Partial<DialectSettings> {
  /** The project of all visits, or the projects by host. */
  projects: VisitedProject | ProjectsByHost
  /** See `VisitRecorder.openVisitorKeys`. */
  keys: VisitorKeys
  /** Milliseconds since 1970. */
  now: number
  /** See `LogSettings`. */
  markdownAsAi?: boolean | undefined
  agents?: OwnAgentList | undefined
  /** Is told about each line that cannot be read, with its bytes; those of a line that is too long are not known. */
  onUnreadable?: (reason: UnreadableReason, bytes: Buffer, start: number, end: number) => void
  /** Number of distinct views and labels, over all projects, that fill a batch. */
  viewsPerBatch?: number
}

export interface ProjectBatch extends ProjectViews {
  batch: ViewBatch
}

/**
 * A larger batch saves work in the store but needs more memory. When the visits outgrow the cache of SQLite, each batch
 * reads and writes most pages of the visitors once, whatever its size. An import of 10 million lines (3.3 million views of a
 * year) used 304 MB at the peak with batches of 500,000 views, and 376 MB with 750,000.
 */
const viewsPerBatch = 600_000

/** Limits of the caches, which bound the memory. When a cache is full, the batch ends and all caches are cleared. */
const maxUserAgents = 50_000
const maxPages = 100_000
/** An import of 10 million lines takes the same CPU time with 200,000 as with a million, but 367 MB instead of 420 MB. */
const maxVisitors = 200_000
const maxBytes = 16 * 1024 * 1024

/**
 * Converts the bytes of logs into batches of page views, and counts the result of each line. It does not open files:
 * callers push bytes and take batches. A line in combined format takes 1.4 us CPU when a third of the lines are views (10
 * million lines, load 14 on 2 cores).
 *
 * `LineDecider` decides how each line is counted, and the user agent decides who made a page view.
 */
export class LogReader {
  #now: number
  readonly #onUnreadable: LogReaderOptions['onUnreadable']
  readonly #viewsPerBatch: number
  readonly #lines: LineReader
  readonly #line = emptyLogLine()
  readonly #agents: UserAgents
  readonly #pages = new PageCache()
  readonly #projects: VisitedProjects
  readonly #clients: Clients
  readonly #views: ViewAdder
  readonly #decider = new LineDecider<ProjectTarget>({
    hasClient: line => this.#clients.has(line, this.#lines.parser as LineParser),
    findProject: line => this.#projects.find(line),
    findPage: ({ bytes, targetStart, targetEnd }) =>
      this.#pages.find(bytes, targetStart, targetEnd, (this.#lines.parser as LineParser).decodeTarget),
    readTarget: line => readTarget(line, this.#lines.parser as LineParser),
    findOwnPages: ({ counting }) => counting?.pages,
  })
  #evidence: EvidenceCollector
  #viewCount = 0
  #ready: ProjectBatch[] = []

  /** @throws {LogFormatError} when format, client field and projects contradict each other; `push` throws it too. */
  constructor(options: LogReaderOptions) {
    this.#now = options.now
    this.#onUnreadable = options.onUnreadable
    this.#agents = new UserAgents(options.markdownAsAi)
    this.#viewsPerBatch = options.viewsPerBatch ?? viewsPerBatch
    this.#lines = new LineReader({
      dialect: options,
      onLine: this.#countLine,
      onTooLong: this.#countTooLong,
      onFormat: this.#prepareFor,
    })
    this.#projects = new VisitedProjects(options.projects, options.keys, options.agents)
    this.#clients = new Clients(options)
    this.#views = new ViewAdder({ line: this.#line, agents: this.#agents, clients: this.#clients })
    this.#evidence = new EvidenceCollector(this.tally, 0)
    this.startFile()
  }

  /** Format of the lines so far; undefined while none was in a known format. */
  get format(): LogFormat | undefined {
    return this.#lines.format
  }

  /** Envelope of the lines so far; undefined when they have none. */
  get envelope(): Envelope | undefined {
    return this.#lines.envelope
  }

  /** See `LineParser.missingFields`; of the current log. */
  get missingFields(): readonly string[] {
    return this.#lines.parser?.missingFields?.() ?? []
  }

  /** The projects, each with the counts of its lines. */
  get projects(): readonly ProjectViews[] {
    return this.#projects.targets
  }

  /** Hosts without a registered site and their line counts, highest first. */
  get unknownHosts(): Map<string, number> {
    return this.#projects.unknownHosts
  }

  get lines(): number {
    return this.#projects.lines
  }

  /** The counts of all lines. */
  get tally(): ImportTally {
    return this.#projects.tally
  }

  /** What is known about the current log. */
  get evidence(): LogEvidence {
    return this.#evidence.summarize(this.tally, this.#lines)
  }

  /** Whether a batch is full. Take it before the next push, so that memory stays bounded. */
  get isFull(): boolean {
    return this.#ready.length > 0
  }

  /**
   * Sets the current time in milliseconds since 1970, because a followed log is read for months. If the clock was set back,
   * the time stays: lines that were written before are not of the future.
   */
  setNow(now: number): void {
    this.#now = Math.max(this.#now, now)
  }

  /** Replaces the projects by host, or the settings of the only project, for the next lines. */
  setProjects(projects: VisitedProject | ProjectsByHost): void {
    this.#projects.set(projects)
  }

  /**
   * Begins another log, which may have another format.
   *
   * @param header the header lines of the log when reading resumes after them; they are not counted
   */
  startFile(header?: Buffer): void {
    this.#lines.flush()
    this.#evidence = new EvidenceCollector(this.tally, this.#lines.nulBytes)
    this.#lines.startFile(header)
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk)
  }

  /** Ends a log; its last line needs no line break. */
  endFile(): void {
    this.#lines.end()
  }

  /** Ends a log that cannot be read to its end. Its partial last line is not counted. */
  endDamagedFile(): void {
    this.#lines.cut()
  }

  /** Counts the lines that wait for the detection of their format. */
  countWaiting(): void {
    this.#lines.flush()
  }

  /** Returns all views so far as batches. Record them in this order; a project may have several batches. */
  takeBatches(): ProjectBatch[] {
    this.#lines.flush()
    this.#cut()
    return this.#ready.splice(0)
  }

  readonly #countTooLong = (): void => {
    const { common } = this.#projects
    common.lines++
    common.countRefusal(lineRefusals.tooLong)
    this.#onUnreadable?.('too-long', Buffer.alloc(0), 0, 0)
  }

  readonly #countLine: OnLine = (bytes, start, end) => {
    const { parser } = this.#lines
    const parsed = parser?.parse(bytes, start, end, this.#line)
    const decided = this.#decider.decide(parsed, this.#line, this.#now)
    const { project, page: asked, llmsFile, isPart, failed } = this.#decider
    const refusal = decided ?? (parser && this.#views.refuse(project, asked, parser))
    const page = refusal ? undefined : asked
    const tally = project?.tally ?? this.#projects.common
    tally.lines++
    if (refusal) tally.countRefusal(refusal)
    if (refusal?.group === 'malformed') this.#onUnreadable?.(refusal.name as UnreadableReason, bytes, start, end)
    if (refusal === lineRefusals.wrongFormat || refusal === lineRefusals.badAddress) {
      this.#evidence.unread.add(bytes, start, end)
    }
    if (!project || !parser || (!page && llmsFile === undefined && !isPart && !failed)) return
    if (isPart && project.builder.loads.has(this.#line)) return
    const before = project.builder.length
    if (page) this.#views.addView(project, page, parser, this.#evidence.viewed)
    else if (llmsFile !== undefined) this.#views.addFile(project, llmsFile, parser)
    else if (isPart) this.#views.addPart(project, parser)
    else if (failed) this.#views.addFailed(project, failed, parser)
    this.#afterAdding(project.builder, before)
  }

  /** Ends the batch if the next line might not fit. */
  #afterAdding(builder: BatchBuilder, lengthBefore: number): void {
    this.#viewCount += builder.length - lengthBefore
    if (this.#viewCount + 1 + maxLabels > this.#viewsPerBatch || this.#isCacheFull(builder)) this.#cut()
  }

  #isCacheFull(builder: BatchBuilder): boolean {
    return (
      this.#agents.size > maxUserAgents ||
      this.#pages.size > maxPages ||
      builder.size > maxVisitors ||
      this.#agents.sizeBytes > maxBytes ||
      this.#pages.sizeBytes > maxBytes ||
      builder.sizeBytes > maxBytes
    )
  }

  /** Moves the views of all projects to `#ready`, and clears the caches if one is full. */
  #cut(): void {
    const { targets } = this.#projects
    for (const { project, tally, builder } of targets) {
      if (builder.length > 0) this.#ready.push({ project, tally, batch: builder.take() })
    }
    this.#viewCount = 0
    const visitors = targets.reduce((total, { builder }) => total + builder.size, 0)
    // Half a cache of visitors would end the next batch before it is full.
    if (visitors > maxVisitors / 2 || targets.some(({ builder }) => this.#isCacheFull(builder))) this.#clearCaches()
  }

  /** Clears all caches. The visitors are cleared too because their keys contain numbers of user agents. */
  #clearCaches(): void {
    this.#agents.clear()
    this.#pages.clear()
    for (const { builder } of this.#projects.targets) builder.forgetVisitors()
  }

  /** Clears the caches when the format changes, because their keys are bytes in the encoding of the old format. */
  readonly #prepareFor = (format: LogFormat): void => {
    this.#projects.requireHost(format)
    if (this.#lines.format === format) return
    this.#cut()
    this.#clearCaches()
    // A parser does not write the fields that its format lacks.
    Object.assign(this.#line, emptyLogLine())
  }
}
