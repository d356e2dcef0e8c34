import { toDay } from '../day.ts'
import { findClient } from '../formats/address.ts'
import { detectFormat, formats } from '../formats/formats.ts'
import { emptyLogLine, type LineParser, type LogFormat, LogFormatError } from '../formats/log-format.ts'
import type { KnownPage } from '../page.ts'
import { asAi, asHuman, type ViewBatch } from '../view-batch.ts'
import type { BatchBuilder } from './batch-builder.ts'
import { LineDecider, lineRefusals } from './decide-line.ts'
import type { ImportTally } from './import-tally.ts'
import { LineSplitter } from './line-splitter.ts'
import { Pages } from './pages.ts'
import { UserAgents } from './user-agents.ts'
import {
  type ProjectsByHost,
  type ProjectTarget,
  type ProjectViews,
  type VisitedProject,
  VisitedProjects,
} from './visited-projects.ts'

export interface LogReaderOptions {
  /** The project that was visited, or those that the hosts of the log belong to. */
  projects: VisitedProject | ProjectsByHost
  /** See `VisitRecorder.openVisitorKey`. */
  secret: Uint8Array
  /** Milliseconds since 1970. */
  now: number
  /** Told by the lines themselves when it is missing. */
  format?: LogFormat | undefined
  /** See `ParserOptions`; the peer is the client when it is missing. */
  clientField?: string | undefined
  /** See `findClient`. */
  trustedProxies?: number | undefined
  /** Views of all projects together, those that came twice counted once. */
  viewsPerBatch?: number
}

export interface ProjectBatch extends ProjectViews {
  batch: ViewBatch
}

/**
 * The larger a batch, the less the store does twice. Of 10 million lines (3.3 million views of a year, load 11 on 2 cores) the
 * store took 7.7 us CPU a view by 500,000 and 352 MB at the peak, 6.3 by a million and 434 MB.
 */
const viewsPerBatch = 500_000
const namesWithHost = formats
  .filter(({ hasHost }) => hasHost)
  .map(({ name }) => name)
  .join(', ')

/**
 * How much of a log may be remembered to find it again. A log of endless distinct values fills this some day; then the batch
 * is cut and all is forgotten, so that memory stays flat.
 */
const maxUserAgents = 50_000
const maxPages = 100_000
/** By 200,000 an import of 10 million lines takes the CPU time it takes by a million, and 367 MB in place of 420. */
const maxVisitors = 200_000
const maxBytes = 16 * 1024 * 1024

/**
 * Turns the bytes of logs into batches of page views, and counts what each line was. It knows no files: push bytes, take
 * batches. It takes 1.4 us CPU a line of combined format, a third of them views (10 million lines, load 14 on 2 cores).
 *
 * `LineDecider` says what each line counts as. A Markdown view is AI traffic whatever its user agent.
 */
export class LogReader {
  readonly #options: LogReaderOptions
  #now: number
  readonly #viewsPerBatch: number
  readonly #splitter: LineSplitter
  readonly #line = emptyLogLine()
  readonly #agents = new UserAgents()
  readonly #pages = new Pages()
  readonly #projects: VisitedProjects
  readonly #client = Buffer.alloc(64)
  readonly #decider = new LineDecider<ProjectTarget>({
    findProject: line => this.#projects.find(line),
    findPage: ({ bytes, targetStart, targetEnd }) =>
      this.#pages.find(bytes, targetStart, targetEnd, (this.#parser as LineParser).decodeTarget),
  })
  #format: LogFormat | undefined
  #parser: LineParser | undefined
  #isFirstLine = true
  #viewCount = 0
  #ready: ProjectBatch[] = []

  /** @throws {LogFormatError} when format, client field and projects do not go together; so does `push`. */
  constructor(options: LogReaderOptions) {
    this.#options = options
    this.#now = options.now
    this.#viewsPerBatch = options.viewsPerBatch ?? viewsPerBatch
    this.#splitter = new LineSplitter(this.#readLine, this.#countTooLong)
    this.#projects = new VisitedProjects(options.projects, options.secret)
    this.startFile()
  }

  /** Of the lines so far; undefined while none was in a format that is known. */
  get format(): LogFormat | undefined {
    return this.#format
  }

  /** Each project with what came of its lines. */
  get projects(): readonly ProjectViews[] {
    return this.#projects.targets
  }

  /** Hosts that are the domain of no site, by their lines, most first. */
  get unknownHosts(): Map<string, number> {
    return this.#projects.unknownHosts
  }

  get lines(): number {
    return this.#projects.lines
  }

  /** What came of all lines. */
  get tally(): ImportTally {
    return this.#projects.tally
  }

  /** Whether a batch is full: take it before the next push, so that memory stays flat. */
  get isFull(): boolean {
    return this.#ready.length > 0
  }

  /** Sets the clock, in milliseconds since 1970: a log that is followed is read for months. */
  setNow(now: number): void {
    this.#now = now
  }

  /** From now on lines belong to these projects by their hosts, of a reader that was made for hosts. */
  setProjects(projects: ProjectsByHost): void {
    this.#projects.setHosts(projects)
  }

  /**
   * Begins another log, whose format may be another one too.
   *
   * @param header the lines at its beginning, when it is gone on with behind them: they count for nothing
   */
  startFile(header?: Buffer): void {
    this.#splitter.drop()
    this.#isFirstLine = true
    this.#parser = undefined
    if (this.#options.format) this.#useFormat(this.#options.format)
    if (header?.length) new LineSplitter(this.#readHeaderLine, () => {}).push(header)
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk)
  }

  /** Ends a log whose last line needs no line break. */
  endFile(): void {
    this.#splitter.end()
  }

  /** All views so far, in batches to be recorded in this order; there may be several of one project. */
  takeBatches(): ProjectBatch[] {
    this.#cut()
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  readonly #countTooLong = (): void => {
    this.#isFirstLine = false
    const { common } = this.#projects
    common.lines++
    common.countRefusal(lineRefusals.tooLong)
  }

  readonly #readHeaderLine = (bytes: Buffer, start: number, end: number): void => {
    const parser = this.#parser ?? this.#detect(bytes, start, end)
    parser?.parse(bytes, start, end, this.#line)
  }

  readonly #readLine = (bytes: Buffer, from: number, end: number): void => {
    let start = from
    if (this.#isFirstLine) {
      this.#isFirstLine = false
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3
    }
    const parser = this.#parser ?? this.#detect(bytes, start, end)
    const parsed = parser?.parse(bytes, start, end, this.#line)
    const refusal = this.#decider.decide(parsed, this.#line, this.#now)
    const { project, page } = this.#decider
    const tally = project?.tally ?? this.#projects.common
    tally.lines++
    if (refusal) tally.countRefusal(refusal)
    else if (project && page && parser) this.#countView(project, page, parser)
  }

  #countView({ tally, builder }: ProjectTarget, page: KnownPage, parser: LineParser): void {
    const { bytes, addressStart, addressEnd, clientStart, clientEnd, userAgentStart, userAgentEnd, atMs } = this.#line
    const agent = this.#agents.find(bytes, userAgentStart, userAgentEnd, parser.decodeHeader)
    const rule = page.isMarkdown ? agent.markdownRule : agent.rule
    tally.countView(rule)
    if (rule.kind === 'neither') return
    const day = toDay(atMs)
    tally.addDay(day)
    const before = builder.length
    const mask = rule.kind === 'human' ? asHuman : asAi
    const clientBytes = clientEnd > clientStart ? this.#readClient(bytes, clientStart, clientEnd, parser) : 0
    if (clientBytes > 0) builder.add(this.#client, 0, clientBytes, agent, page.path, day, mask)
    else builder.add(bytes, addressStart, addressEnd, agent, page.path, day, mask)
    this.#viewCount += builder.length - before
    if (this.#viewCount >= this.#viewsPerBatch || this.#remembersTooMuch(builder)) this.#cut()
  }

  /** Puts the client of the list into `#client`, and says how many bytes it takes; 0 when the list names none. */
  #readClient(bytes: Buffer, start: number, end: number, parser: LineParser): number {
    const list = parser.decodeHeader(bytes.toString('latin1', start, end))
    const client = findClient(list, this.#options.trustedProxies)
    return client === undefined ? 0 : this.#client.write(client, 'latin1')
  }

  #remembersTooMuch(builder: BatchBuilder): boolean {
    return (
      this.#agents.size > maxUserAgents ||
      this.#pages.size > maxPages ||
      builder.size > maxVisitors ||
      this.#agents.sizeBytes > maxBytes ||
      this.#pages.sizeBytes > maxBytes ||
      builder.sizeBytes > maxBytes
    )
  }

  /** Puts the views of all projects into `#ready`, and forgets what is remembered when that is too much. */
  #cut(): void {
    for (const { project, tally, builder } of this.#projects.targets) {
      if (builder.length > 0) this.#ready.push({ project, tally, batch: builder.take() })
    }
    this.#viewCount = 0
    const { targets } = this.#projects
    const visitors = targets.reduce((total, { builder }) => total + builder.size, 0)
    const remembersTooMuch = targets.some(({ builder }) => this.#remembersTooMuch(builder))
    if (visitors > maxVisitors || remembersTooMuch) this.#forget()
  }

  /** Visitors too, since they are known by the number of their user agent. */
  #forget(): void {
    this.#agents.clear()
    this.#pages.clear()
    for (const { builder } of this.#projects.targets) builder.forgetVisitors()
  }

  #detect(bytes: Buffer, start: number, end: number): LineParser | undefined {
    const format = detectFormat(bytes, start, end)
    if (format) this.#useFormat(format)
    return this.#parser
  }

  /** What is remembered is as one format writes it. */
  #useFormat(format: LogFormat): void {
    if (this.#projects.areByHost && !format.hasHost) {
      const remedy =
        format.name === 'json' ? 'add host=PATH to its fields' : `log in a format that does (${namesWithHost})`
      throw new LogFormatError(
        `Lines of ${format.name} do not say which host was asked. Name the one project they are for, or ${remedy}.`,
      )
    }
    if (this.#format !== format) {
      this.#cut()
      this.#forget()
    }
    this.#format = format
    this.#parser = format.open({ clientField: this.#options.clientField })
  }
}
