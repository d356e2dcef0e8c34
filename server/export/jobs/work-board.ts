import type { ExportProgress } from '../model/options.ts'
import { createProgressModel, type ProgressModel } from '../model/progress-model.ts'

/** What an export of this process does right now. */
export interface ExportWork {
  stage: ExportProgress['stage']
  pagesDone: number
  pagesKnown: number
  /** Over the last seconds; null = not known yet. */
  pagesPerSecond: number | null
  /** See `ProgressReading`. */
  leftMs: number | null
}

/** Shows what the exports of this process do, for people who watch. It is lost with the process, unlike the progress of a job. */
export type WorkBoard = ReturnType<typeof createWorkBoard>

interface Noted {
  progress: ExportProgress
  model: ProgressModel
  /** Of the current stage: at most `maxRecent`, at least `apartMs` apart, oldest first. */
  recent: { at: number; pageCount: number }[]
}

const maxRecent = 10
const apartMs = 1000

/** @param tick milliseconds that never go back */
export function createWorkBoard(tick: () => number = () => performance.now()) {
  const board = new Map<string, Noted>()
  function findSpeed({ progress, recent }: Noted, now: number): number | null {
    const [oldest] = recent
    if (!oldest || now - oldest.at < apartMs) return null
    return (progress.pageCount - oldest.pageCount) / ((now - oldest.at) / 1000)
  }

  return {
    /** Returns the progress of the job in percent. */
    note(jobId: string, progress: ExportProgress): number {
      const { pageCount } = progress
      const at = tick()
      const noted = board.get(jobId)
      const model = noted?.model ?? createProgressModel()
      // Each stage counts its pages anew.
      const recent = noted?.progress.stage === progress.stage ? noted.recent : []
      const last = recent.at(-1)
      const next = !last || at - last.at >= apartMs ? [...recent, { at, pageCount }].slice(-maxRecent) : recent
      board.set(jobId, { progress, model, recent: next })
      return model.note(progress, at).percent
    },
    end: (jobId: string): void => void board.delete(jobId),
    /** Returns undefined if this process does not work on the job. */
    find(jobId: string): ExportWork | undefined {
      const noted = board.get(jobId)
      if (!noted) return undefined
      const { stage, pagesDone, pagesKnown } = noted.progress
      const now = tick()
      const { leftMs } = noted.model.read(now)
      return { stage, pagesDone, pagesKnown, pagesPerSecond: findSpeed(noted, now), leftMs }
    },
    /** Returns the pages a second of all exports of this process. */
    sumPagesPerSecond: () => [...board.values()].reduce((speed, noted) => speed + (findSpeed(noted, tick()) ?? 0), 0),
  }
}
