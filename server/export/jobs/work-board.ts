import type { ExportProgress } from '../model/options.ts'

/** What an export of this process does right now. */
export interface ExportWork {
  stage: ExportProgress['stage']
  pagesDone: number
  pagesKnown: number
  /** Over the last seconds; null = not known yet. */
  pagesPerSecond: number | null
  /** An estimate; null = not known yet, or no longer, because more pages were found in the last seconds. */
  leftMs: number | null
}

/** Shows what the exports of this process do, for people who watch. It is lost with the process, unlike the progress of a job. */
export type WorkBoard = ReturnType<typeof createWorkBoard>

interface Reading {
  at: number
  percent: number
  pageCount: number
  pagesKnown: number
}

interface Noted {
  progress: ExportProgress
  percent: number
  first: Reading
  /** Of the current stage: at most `maxRecent`, at least `apartMs` apart, oldest first. */
  recent: Reading[]
}

const maxRecent = 10
const apartMs = 1000
/** An estimate from less work is no better than a guess. */
const minPercent = 5
const minMs = 2000

/** @param tick milliseconds that never go back */
export function createWorkBoard(tick: () => number = () => performance.now()) {
  const board = new Map<string, Noted>()
  function findSpeed({ progress, recent }: Noted, now: number): number | null {
    const [oldest] = recent
    if (!oldest || now - oldest.at < apartMs) return null
    return (progress.pageCount - oldest.pageCount) / ((now - oldest.at) / 1000)
  }

  return {
    note(jobId: string, progress: ExportProgress, percent: number): void {
      const { pageCount, pagesKnown } = progress
      const reading: Reading = { at: tick(), percent, pageCount, pagesKnown }
      const noted = board.get(jobId)
      const first = noted?.first ?? reading
      // Each stage counts its pages anew.
      const recent = noted?.progress.stage === progress.stage ? noted.recent : []
      const last = recent.at(-1)
      const next = !last || reading.at - last.at >= apartMs ? [...recent, reading].slice(-maxRecent) : recent
      board.set(jobId, { progress, percent, first, recent: next })
    },
    end: (jobId: string): void => void board.delete(jobId),
    /** Returns undefined if this process does not work on the job. */
    find(jobId: string): ExportWork | undefined {
      const noted = board.get(jobId)
      if (!noted) return undefined
      const { stage, pagesDone, pagesKnown } = noted.progress
      const now = tick()
      return {
        stage,
        pagesDone,
        pagesKnown,
        pagesPerSecond: findSpeed(noted, now),
        leftMs: estimateLeft(noted, now),
      }
    },
    /** Returns the pages a second of all exports of this process. */
    sumPagesPerSecond: () => [...board.values()].reduce((speed, noted) => speed + (findSpeed(noted, tick()) ?? 0), 0),
  }
}

/** Assumes that the rest goes on as fast as what this process has done. */
function estimateLeft({ first, recent, percent, progress }: Noted, now: number): number | null {
  if (recent.some(({ pagesKnown }) => pagesKnown < progress.pagesKnown)) return null
  const done = percent - first.percent
  const tookMs = now - first.at
  return done < minPercent || tookMs < minMs ? null : (tookMs * (100 - percent)) / done
}
