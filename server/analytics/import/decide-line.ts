import { dayMs } from '../../base/day-ms.ts'
import { type Failure, toFailure } from '../failed-pages.ts'
import type { LogLine, Parsed } from '../formats/log-format.ts'
import { type KnownPage, type Page, refuseByQuery } from '../page.ts'
import { countedStatus, readSentPage } from '../sent-view.ts'
import type { OwnPages } from './own-pages.ts'

/** The checks of a line, in the order in which they run. The first check that fails decides how the line is counted. */
export const lineChecks = ['format', 'address', 'date', 'host', 'method', 'status', 'page'] as const

export type LineCheck = (typeof lineChecks)[number]

/** The reason why a line is not a page view: the check that failed, and the count of the import that includes the line. */
export interface LineRefusal {
  readonly check: LineCheck
  readonly group: 'filtered' | 'malformed'
  readonly name: string
}

export const lineRefusals = {
  tooLong: { check: 'format', group: 'malformed', name: 'too-long' },
  wrongFormat: { check: 'format', group: 'malformed', name: 'wrong-format' },
  comment: { check: 'format', group: 'filtered', name: 'comment' },
  badAddress: { check: 'address', group: 'malformed', name: 'bad-address' },
  badDate: { check: 'date', group: 'malformed', name: 'bad-date' },
  unknownHost: { check: 'host', group: 'filtered', name: 'unknown-host' },
  method: { check: 'method', group: 'filtered', name: 'method' },
  status: { check: 'status', group: 'filtered', name: 'status' },
  'bad-path': { check: 'page', group: 'malformed', name: 'bad-path' },
  asset: { check: 'page', group: 'filtered', name: 'asset' },
  'machine-file': { check: 'page', group: 'filtered', name: 'machine-file' },
  'router-data': { check: 'page', group: 'filtered', name: 'router-data' },
  service: { check: 'page', group: 'filtered', name: 'service' },
  scan: { check: 'page', group: 'filtered', name: 'scan' },
  'sent-view': { check: 'page', group: 'filtered', name: 'service' },
  'no-page': { check: 'page', group: 'filtered', name: 'no-page' },
  'own-address': { check: 'page', group: 'filtered', name: 'own-address' },
} as const satisfies Record<string, LineRefusal>

/** Supplies the values for checks that depend on the reader of the log. */
export interface LineContext<Project> {
  /** Returns whether the line has a client, see `Clients`. */
  hasClient(line: LogLine): boolean
  /** Finds the project of the line's host; undefined = the host has no registered site. */
  findProject(line: LogLine): Project | undefined
  /** Finds the page by the rules for all projects. */
  findPage(line: LogLine): Page
  /** Returns the target of the line as `toPage` takes it. */
  readTarget(line: LogLine): string
  findOwnPages(project: Project): OwnPages | undefined
}

/** Decides how the lines of a log are counted. The import and its explanation share this class, so they cannot differ. */
export class LineDecider<Project> {
  readonly #context: LineContext<Project>
  /** The project of the last line; undefined when an earlier check failed. */
  project: Project | undefined
  /** The page of the last line; undefined unless the line is a page view. */
  page: KnownPage | undefined
  /** Whether the settings of the project made it one. */
  isOwnPage = false
  /** See `RefusedPage`; undefined unless the last line is a view of such a file. */
  llmsFile: string | undefined
  /** See `RefusedPage`; of the last line. */
  isPart = false
  /** The page that was not sent; undefined unless the status of the last line says so. */
  failed: { page: KnownPage; failure: Failure } | undefined

  constructor(context: LineContext<Project>) {
    this.#context = context
  }

  /**
   * @param parsed undefined = the format of the log is unknown
   * @param now milliseconds since 1970
   * @return undefined = the line is a page view
   */
  decide(parsed: Parsed | undefined, line: LogLine, now: number): LineRefusal | undefined {
    this.project = undefined
    this.page = undefined
    this.isOwnPage = false
    this.llmsFile = undefined
    this.isPart = false
    this.failed = undefined
    if (parsed === undefined || parsed === 'malformed') return lineRefusals.wrongFormat
    if (parsed === 'comment') return lineRefusals.comment
    if (!this.#context.hasClient(line)) return lineRefusals.badAddress
    if (!isPossible(line.atMs, now)) return lineRefusals.badDate
    this.project = this.#context.findProject(line)
    if (this.project === undefined) return lineRefusals.unknownHost
    if (!line.isGet) return lineRefusals.method
    if (isFound(line.status)) return this.#decidePage(line, this.project)
    const failure = toFailure(line.status)
    if (failure !== undefined && this.#decidePage(line, this.project) === undefined && this.page) {
      this.failed = { page: this.page, failure }
    }
    this.page = undefined
    this.llmsFile = undefined
    this.isPart = false
    return lineRefusals.status
  }

  #decidePage(line: LogLine, project: Project): LineRefusal | undefined {
    const { bytes, queryStart, queryEnd } = line
    const hasQuery = queryEnd > queryStart
    const usual = this.#context.findPage(line)
    let page = usual
    const own = this.#context.findOwnPages(project)
    if (own) {
      page = own.find(usual, () => this.#context.readTarget(line))
      this.isOwnPage = page !== usual
    }
    if (page.refusal === 'sent-view' && hasQuery && line.status === countedStatus) {
      page = readSentPage(bytes.toString('latin1', queryStart, queryEnd), own)
    } else if (page.refusal === undefined && hasQuery) {
      const refusal = refuseByQuery(page, bytes.toString('latin1', queryStart, queryEnd))
      if (refusal) return lineRefusals[refusal]
    }
    if (page.refusal !== undefined) {
      this.llmsFile = page.llmsFile
      this.isPart = page.isPart === true
      return lineRefusals[page.refusal]
    }
    this.page = page
    return undefined
  }
}

const earliestMs = Date.UTC(2000)

/**
 * Returns whether the time of a line is possible: not before 2000, and not more than a day after `now`. Both times are in
 * milliseconds since 1970.
 */
function isPossible(atMs: number, now: number): boolean {
  return atMs >= earliestMs && atMs <= now + dayMs
}

/** Returns whether the page was found: 2xx, or 304 because the client has the page in its cache. */
function isFound(status: number): boolean {
  return (status >= 200 && status <= 299) || status === 304
}
