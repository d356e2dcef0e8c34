import type { ProjectBatch } from '../import/log-reader.ts'
import type { LogPosition, VisitRecorder } from '../unique-visitors.ts'
import { toViewBatch } from '../view-batch.ts'
import { type FollowPosition, formatPosition } from './follow-position.ts'
import { pause } from './pause.ts'

/** Says in one line that views were read and not recorded; shown to the operator as it is. */
export class VisitsNotWrittenError extends Error {}

const firstPauseMs = 1000
const longestPauseMs = 30_000

export interface BatchWriterOptions {
  projectId: string
  /** Names the log in the store. */
  log: string
  visits: Pick<VisitRecorder, 'recordBatch'>
  /** No more is tried than once when it is aborted. */
  signal: AbortSignal
  warn(message: string): void
}

/** Writes views together with the position behind them. */
export class BatchWriter {
  readonly #options: BatchWriterOptions

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  /**
   * Returns when all is written: what keeps it from being written is said, and tried again as long as it takes.
   *
   * @throws {VisitsNotWrittenError} when the last try fails, once the signal is aborted.
   */
  async write(batches: readonly ProjectBatch[], position: FollowPosition | null): Promise<void> {
    const place = { log: this.#options.log, position: formatPosition(position) }
    if (batches.length === 0) await this.#persist(toViewBatch([]), place)
    for (const [i, { batch, tally }] of batches.entries()) {
      // Behind the last one: who ends between two of them reads the lines of the first again, and counts nothing twice.
      const isLast = i === batches.length - 1
      const { newVisitorDays, tooOldViews } = await this.#persist(batch, isLast ? place : undefined)
      tally.newVisitorDays += newVisitorDays
      tally.tooOldViews += tooOldViews
    }
  }

  async #persist(batch: ProjectBatch['batch'], place: LogPosition | undefined) {
    const { projectId, log, visits, signal, warn } = this.#options
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const isLast = signal.aborted
      try {
        return await visits.recordBatch(projectId, batch, place)
      } catch (error) {
        const reason = (error as Error).message
        if (isLast) {
          throw new VisitsNotWrittenError(
            `The last visits of ${log} were not written (${reason}). The next run reads them again: nothing is lost.`,
            { cause: error },
          )
        }
        warn(
          `The visits of ${log} cannot be written (${reason}). They are kept; the next try is in ${pauseMs / 1000} s.`,
        )
      }
      await pause(pauseMs, signal)
    }
  }
}
