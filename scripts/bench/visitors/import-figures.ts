import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import type { MeasuredRun } from '../export/measured-run.ts'

/** What reading a log took. */
export interface ImportFigures {
  lines: number
  wallSeconds: number
  cpuSeconds: number
  linesPerCpuSecond: number
  /** The most that the process held; where it starts others, all of them at one time, if that is more. */
  peakBytes: number
  /** What it held, some times a second. */
  heldBytes: number[]
}

/** @throws {Error} where the system does not tell CPU time and memory of a process. */
export function toImportFigures(run: MeasuredRun, lines: number): ImportFigures {
  const { wallSeconds, cpuSeconds, heldBytes } = run
  const peakBytes = Math.max(run.maxRssBytes ?? 0, run.peakTreeBytes ?? 0)
  if (cpuSeconds === undefined || peakBytes === 0) {
    throw new Error(
      'CPU time and memory cannot be had here: it takes Linux and /usr/bin/time (Debian: apt-get install time).',
    )
  }
  return { lines, wallSeconds, cpuSeconds, linesPerCpuSecond: lines / cpuSeconds, peakBytes, heldBytes }
}

/** Why a program that failed did: its last words, since its log goes with everything else. */
export async function explainEnd(name: string, { exitCode }: MeasuredRun, logFile: string): Promise<OperatorError> {
  const words = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n')
  return new OperatorError(`${name} ended with ${exitCode}: ${words}`)
}

/** Bytes of all files in a folder. */
export function sizeFolder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
