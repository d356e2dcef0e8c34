import type { Awaitable } from '../../base/awaitable.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { pause } from '../../base/pause.ts'
import type { ProjectBatch } from '../import/log-reader.ts'
import type { LogPosition, RecordedViews, VisitRecorder } from '../unique-visitors.ts'
import { toViewBatch, type ViewBatch } from '../view-batch.ts'

const firstPauseMs = 1000
const maxPauseMs = 30_000

export interface BatchWriterOptions {
  /** The project of the log's visits; undefined = the log holds visits of several projects. */
  projectId: string | undefined
  /** Name of the log in the store. */
  log: string
  visits: Pick<VisitRecorder, 'recordBatch' | 'recordLogPosition' | 'findLogPosition'>
  /** Once the signal is aborted, a failed write is not retried. */
  signal: AbortSignal
  warn(message: string): void
}

/** Writes views together with the log position after them. */
export class BatchWriter {
  readonly #options: BatchWriterOptions

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  /** Returns the last position written; undefined when there is none. */
  async findPosition(): Promise<string | undefined> {
    const { projectId, log, visits } = this.#options
    return visits.findLogPosition(projectId, log)
  }

  /**
   * Writes all batches and the position. Reports failures by `warn` and retries without limit.
   *
   * @throws {OperatorError} when a try fails that began after the signal was aborted.
   */
  async write(batches: readonly ProjectBatch[], position: string): Promise<void> {
    const { projectId, log, visits } = this.#options
    const place = { log, position }
    // The position is stored with the last batch. After a crash between two batches, the lines are read again and no
    // visit counts twice.
    const last = projectId === undefined ? undefined : batches.at(-1)
    for (const each of batches) {
      const { project, batch, tally } = each
      const { newVisitorDays, tooOldViews } = await this.record(project.id, batch, each === last ? place : undefined)
      tally.newVisitorDays += newVisitorDays
      tally.tooOldViews += tooOldViews
    }
    if (projectId === undefined) await this.#persist(() => visits.recordLogPosition(place))
    else if (!last) await this.record(projectId, toViewBatch([]), place)
  }

  /** Writes one batch like `write`. */
  record(projectId: string, batch: ViewBatch, place?: LogPosition): Promise<RecordedViews> {
    return this.#persist(() => this.#options.visits.recordBatch(projectId, batch, place))
  }

  async #persist<Result>(record: () => Awaitable<Result>): Promise<Result> {
    const { log, signal, warn } = this.#options
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const isLast = signal.aborted
      try {
        return await record()
      } catch (error) {
        const reason = (error as Error).message
        if (isLast) {
          throw new OperatorError(
            `The last visits of ${log} were not written (${reason}). The next run reads them again: nothing is lost.`,
            1,
            { cause: error },
          )
        }
        warn(`The visits of ${log} cannot be written (${reason}). They are kept; retrying in ${pauseMs / 1000} s.`)
      }
      await pause(pauseMs, signal)
    }
  }
}
