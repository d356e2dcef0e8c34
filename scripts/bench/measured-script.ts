import { readFile } from 'node:fs/promises'
import { OperatorError } from '../../server/base/operator-error.ts'
import { describeEnd, type MeasuredRun, runMeasured } from './export/measured-run.ts'

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
 * Runs a program to its end, with the time limit of a day.
 *
 * @param logFile the program's standard error; the end of it is in the error message, because the log is deleted
 * @throws {OperatorError} when the program fails.
 */
export async function runToEnd(
  program: string,
  args: readonly string[],
  { logFile, folder }: { logFile: string; folder: string },
): Promise<MeasuredRun> {
  const run = await runMeasured(program, args, { logFile, timeoutMs: 24 * 3_600_000, folder })
  if (run.exitCode === 0) return run
  const words = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n')
  throw new OperatorError(`${program} ${args[0]} ${describeEnd(run)}: ${words}`)
}

/** Returns the settings that a script of the benchmark got as its only argument. */
export function readSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}')
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
