import type { ExportProgress } from '../export/model/options.ts'

const barWidth = 24

const verbs: Record<ExportProgress['stage'], string> = {
  compare: 'Comparing',
  discover: 'Looking for pages',
  fetch: 'Fetching',
  render: 'Rendering',
  archive: 'Packing',
}

/** Describes the progress of an export for a log: `Fetching: 120 of 526 pages`. */
export function describeProgress({ stage, pagesDone, pagesKnown }: Omit<ExportProgress, 'pageCount'>): string {
  return stage === 'discover' ? verbs.discover : `${verbs[stage]}: ${pagesDone} of ${pagesKnown} pages`
}

/**
 * Draws the progress as a terminal line with a bar, the rate and the time left.
 *
 * @param elapsedMs since the stage began.
 * @param columns width of the terminal, which limits the line.
 */
export function drawProgress(progress: Omit<ExportProgress, 'pageCount'>, elapsedMs: number, columns: number): string {
  const { stage, pagesDone, pagesKnown } = progress
  if (stage === 'discover' || pagesKnown === 0) return `${verbs[stage]} ...`.slice(0, columns)
  const filled = Math.min(barWidth, Math.round((pagesDone / pagesKnown) * barWidth))
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`
  const rate = elapsedMs >= 500 ? pagesDone / (elapsedMs / 1000) : 0
  const parts = [verbs[stage].padEnd(9), bar, `${pagesDone}/${pagesKnown} pages`]
  if (rate > 0) parts.push(`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)} pages/s`)
  // A lower bound, because pages lead to more pages.
  if (rate > 0 && pagesDone < pagesKnown) parts.push(`${describeSeconds((pagesKnown - pagesDone) / rate)} left`)
  return parts.join('  ').slice(0, columns)
}

function describeSeconds(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  return whole < 90 ? `${whole} s` : `${Math.round(whole / 60)} min`
}

/** Redraws one line on a terminal; otherwise prints a line for each stage and every few seconds. */
export function showProgress(stream: NodeJS.WriteStream) {
  let stage = ''
  let stageAt = 0
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(progress: Parameters<typeof describeProgress>[0]) {
      const now = performance.now()
      const isNew = progress.stage !== stage
      if (isNew) {
        stage = progress.stage
        stageAt = now
      }
      if (!isNew && now - shownAt < (stream.isTTY ? 100 : 5000)) return
      shownAt = now
      if (stream.isTTY) stream.write(`\r\u001b[K${drawProgress(progress, now - stageAt, (stream.columns ?? 80) - 1)}`)
      else stream.write(`${describeProgress(progress)}\n`)
    },
    end() {
      if (stream.isTTY) stream.write('\r\u001b[K')
    },
  }
}
