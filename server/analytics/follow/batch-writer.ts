import type { Awaitable } from '../../base/awaitable.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { pause } from '../../base/pause.ts'
import type { ProjectBatch } from '../import/log-reader.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import { toViewBatch } from '../view-batch.ts'
import { type FollowPosition, formatPosition, parsePosition } from './follow-position.ts'

const firstPauseMs = 1000
const longestPauseMs = 30_000

export interface BatchWriterOptions {
  /** Whose visits the log tells; undefined = those of several projects. */
  projectId: string | undefined
  /** Names the log in the store. */
  log: string
  visits: Pick<VisitRecorder, 'recordBatch' | 'recordLogPosition' | 'findLogPosition'>
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

  /** What was written last; undefined when nothing was. */
  async findPosition(): Promise<FollowPosition | null | undefined> {
    const { projectId, log, visits } = this.#options
    const known = await visits.findLogPosition(projectId, log)
    return known === undefined ? undefined : parsePosition(known)
  }

  /**
   * Returns when all is written: what keeps it from being written is said, and tried again as long as it takes.
   *
   * @throws {OperatorError} when the last try fails, once the signal is aborted.
   */
  async write(batches: readonly ProjectBatch[], position: FollowPosition | null): Promise<void> {
    const { projectId, log, visits } = this.#options
    const place = { log, position: formatPosition(position) }
    // Behind the last one: who ends between two of them reads the lines of the first again, and counts nothing twice.
    const last = projectId === undefined ? undefined : batches.at(-1)
    for (const each of batches) {
      const { project, batch, tally } = each
      const record = () => visits.recordBatch(project.id, batch, each === last ? place : undefined)
      const { newVisitorDays, tooOldViews } = await this.#persist(record)
      tally.newVisitorDays += newVisitorDays
      tally.tooOldViews += tooOldViews
    }
    if (projectId === undefined) await this.#persist(() => visits.recordLogPosition(place))
    else if (!last) await this.#persist(() => visits.recordBatch(projectId, toViewBatch([]), place))
  }

  async #persist<Result>(record: () => Awaitable<Result>): Promise<Result> {
    const { log, signal, warn } = this.#options
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
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
        warn(
          `The visits of ${log} cannot be written (${reason}). They are kept; the next try is in ${pauseMs / 1000} s.`,
        )
      }
      await pause(pauseMs, signal)
    }
  }
}
