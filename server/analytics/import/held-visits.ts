import { OperatorError } from '../../base/operator-error.ts'
import type { RecordedViews, VisitRecorder } from '../unique-visitors.ts'
import type { ViewBatch } from '../view-batch.ts'
import type { LogReader } from './log-reader.ts'

/** A view takes 13 bytes, and each of its visitors 16. So the held views take about 100 MB at most. */
export const maxHeldViews = 4_000_000

interface HeldBatch {
  projectId: string
  batch: ViewBatch
}

/** Holds views back until their logs are judged. */
export class HeldVisits implements Pick<VisitRecorder, 'recordBatch'> {
  readonly #mustHold: boolean
  readonly #maxViews: number
  #batches: HeldBatch[] = []
  #viewCount = 0

  /** @param options `mustHold` = the logs cannot be read again */
  constructor({ mustHold, maxViews = maxHeldViews }: { mustHold: boolean; maxViews?: number }) {
    this.#mustHold = mustHold
    this.#maxViews = maxViews
  }

  /** Whether all views are held. If not, none is, and the logs must be read again. */
  get isComplete(): boolean {
    return this.#viewCount <= this.#maxViews
  }

  /** @throws {OperatorError} when there are too many views to hold, and the logs cannot be read again. */
  recordBatch(projectId: string, batch: ViewBatch): RecordedViews {
    this.#viewCount += batch.length
    if (this.isComplete) this.#batches.push({ projectId, batch })
    else this.#drop()
    return { newVisitorDays: 0, newViews: 0, tooOldViews: 0 }
  }

  /** Records the held views, and adds the result to the counts of the reader that read them. */
  async record(reader: LogReader, visits: Pick<VisitRecorder, 'recordBatch'>): Promise<void> {
    const tallies = new Map(reader.projects.map(({ project, tally }) => [project.id, tally]))
    for (const { projectId, batch } of this.#batches) {
      const { newVisitorDays, tooOldViews } = await visits.recordBatch(projectId, batch)
      const tally = tallies.get(projectId)
      if (!tally) continue
      tally.newVisitorDays += newVisitorDays
      tally.tooOldViews += tooOldViews
    }
    this.#batches = []
  }

  #drop(): void {
    this.#batches = []
    if (!this.#mustHold) return
    throw new OperatorError(
      `With --strict, standard input or a pipe may have ${this.#maxViews.toLocaleString('en-US')} views at most, because it cannot be read again. Nothing was recorded. Save it to a file, and import the file.`,
    )
  }
}
