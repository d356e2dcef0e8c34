import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { describeEnd, type MeasuredRun } from '../export/measured-run.ts'

/** Measurements of reading a log. */
export interface ImportFigures {
  lines: number
  wallSeconds: number
  cpuSeconds: number
  linesPerCpuSecond: number
  /** Peak memory of the process, or of the process and its descendants together, whichever is more. */
  peakBytes: number
  /** Memory samples, several per second. */
  heldBytes: number[]
}

/**
 * Computes the figures of an import.
 *
 * @throws {Error} when the system does not report CPU time and memory of a process.
 */
export function toImportFigures(run: MeasuredRun, lines: number): ImportFigures {
  const { wallSeconds, cpuSeconds, heldBytes } = run
  const peakBytes = Math.max(run.maxRssBytes ?? 0, run.peakTreeBytes ?? 0)
  if (cpuSeconds === undefined || peakBytes === 0) {
    throw new Error(
      'Cannot measure CPU time and memory: this needs Linux and /usr/bin/time (Debian: apt-get install time).',
    )
  }
  return { lines, wallSeconds, cpuSeconds, linesPerCpuSecond: lines / cpuSeconds, peakBytes, heldBytes }
}

/** Returns an error with the end of a failed program's log, because the log is deleted. */
export async function explainEnd(name: string, run: MeasuredRun, logFile: string): Promise<OperatorError> {
  const words = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n')
  return new OperatorError(`${name} ${describeEnd(run)}: ${words}`)
}

/** Sums the sizes of all files in a folder. */
export function sizeFolder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
