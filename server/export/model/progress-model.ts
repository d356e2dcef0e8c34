import type { ExportProgress } from './options.ts'

/** How far an export is, as the API, the command and the dashboard tell it. */
export interface ProgressReading {
  stage: ExportProgress['stage']
  /** 0..99, never falls. */
  percent: number
  /** An estimate; null = nothing to base one on yet, or no longer. */
  leftMs: number | null
}

/** Turns what an export reports into one percentage and the time left. */
export interface ProgressModel {
  note(progress: ExportProgress, at: number): ProgressReading
  /** Returns the last reading, with the time left from `at` on. */
  read(at: number): ProgressReading
}

/** Percent at which each stage begins and ends, if the browser opens pages. */
const spans: Record<ExportProgress['stage'], [begin: number, end: number]> = {
  compare: [0, 10],
  discover: [0, 0],
  fetch: [0, 45],
  render: [0, 45],
  look: [45, 55],
  archive: [55, 65],
  check: [65, 99],
}
/** Without pages to open, the bundle is complete when it is written. */
const lastArchive: [number, number] = [80, 99]
/** An estimate from fewer opened pages, or from less than this share of the check, is no better than a guess. */
const minOpened = 4
const minShare = 0.7
/** The first pages of a check take longer: those of a group wait for each other. See scripts/bench/RESULTS.md. */
const laterShare = 0.5
/** The archive is written after the check, which takes some seconds that nobody counts. */
const minLeftMs = 5000

/** Times are milliseconds that never go back. */
export function createProgressModel(): ProgressModel {
  let percent = 0
  let last: ExportProgress = { stage: 'discover', pagesDone: 0, pagesKnown: 0, pageCount: 0 }
  let stageAt = 0
  let stageDone = 0
  let opens = false

  function read(at: number): ProgressReading {
    return { stage: last.stage, percent, leftMs: estimateLeft(last, { tookMs: at - stageAt, stageDone }) }
  }

  return {
    read,
    note(progress, at) {
      const { stage, pagesDone, pagesKnown } = progress
      if (stage !== last.stage) {
        stageAt = at
        stageDone = pagesDone
      }
      last = progress
      opens ||= stage === 'look'
      const [begin, end] = stage === 'archive' && !opens ? lastArchive : spans[stage]
      percent = Math.max(percent, begin + (end - begin) * (pagesKnown === 0 ? 0 : Math.min(1, pagesDone / pagesKnown)))
      return read(at)
    },
  }
}

/**
 * Estimates the rest from the speed of the last stage. Before it, the rest is not known: new pages lead to more, and how long
 * the browser will take shows only when it opened some.
 *
 * @param time.stageDone what was done when the stage began.
 */
function estimateLeft(
  { stage, pagesDone, pagesKnown }: ExportProgress,
  { tookMs, stageDone }: { tookMs: number; stageDone: number },
): number | null {
  if (stage !== 'check') return null
  const done = pagesDone - stageDone
  if (done < minOpened || done < minShare * (pagesKnown - stageDone)) return null
  const leftMs = (laterShare * (pagesKnown - pagesDone) * tookMs) / done
  return leftMs < minLeftMs ? null : leftMs
}
