import type { ImportFigures } from '../measured-script.ts'
import { megabytes } from '../report.ts'
import type { HttpPart } from './http-part.ts'
import type { ImportPart } from './import-part.ts'
import type { Length } from './ranges.ts'
import type { VisitsPart } from './visits-part.ts'

/** A goal of the benchmark. */
export interface Goal {
  what: string
  /** The measured value as text. */
  given: string
  /** Undefined when the run is too small to judge. This is not a failure. */
  isMet?: boolean
}

/** Measurements of the parts of a run; without a log there is no import, and a run that failed has no later parts. */
export interface Results {
  import?: ImportPart
  visits?: VisitsPart
  http?: HttpPart
}

/** In smaller runs, most of the time is the start of a program. */
const minLines = 5_000_000
/** In smaller runs, bounded caches still grow, so unbounded growth cannot be detected. */
const manyLines = 50_000_000
/** The goals for a hundred million visits apply to runs of at least this size. */
const manyVisits = 50_000_000
const minSamples = 20

/** CPU time of the server for an answer: 10, 20, 40 and 60 ms of counting, and up to 20 ms for HTTP, JSON and the log. */
const maxCpuMs: Record<Length, number> = { week: 30, month: 40, year: 60, odd: 80 }
const manyVisitsYearMs = 170
/** For logs of many lines, whose visits outgrow the cache of SQLite. */
const minLinesPerCpuSecond = 220_000

/** Compares the measurements with the goals for unique visitors. */
export function judge({ import: imported, visits, http }: Results): Goal[] {
  return [
    ...(imported ? judgeImport(imported) : []),
    ...(http && visits ? judgeHttp(http, visits.visits) : []),
    ...judgeAnswers(imported, visits, http),
  ]
}

function judgeImport({ quire, goAccess }: ImportPart): Goal[] {
  const isLarge = quire.lines >= minLines
  const goals: Goal[] = []
  if (goAccess) {
    const ratio = quire.linesPerCpuSecond / goAccess.linesPerCpuSecond
    const given = `${ratio.toFixed(1)} times`
    goals.push(
      ifLarge(isLarge, { what: 'import: 4 times the lines per CPU second of GoAccess', given, isMet: ratio >= 4 }),
    )
    const memory = `${megabytes(quire.peakBytes)} MB, GoAccess ${megabytes(goAccess.peakBytes)} MB`
    const isMet = quire.peakBytes <= goAccess.peakBytes
    goals.push(ifLarge(isLarge, { what: 'import: no more memory than GoAccess', given: memory, isMet }))
  }
  if (quire.lines >= manyLines) {
    const given = Math.round(quire.linesPerCpuSecond).toLocaleString('en')
    const what = `import: ${minLinesPerCpuSecond.toLocaleString('en')} lines per CPU second`
    goals.push({ what, given, isMet: quire.linesPerCpuSecond >= minLinesPerCpuSecond })
  }
  const growth = findGrowth(quire)
  if (growth !== undefined) {
    const given = `last fifth: ${growth.toFixed(2)} times the second fifth`
    goals.push(
      ifLarge(quire.lines >= manyLines, { what: 'import: memory stays constant', given, isMet: growth <= 1.25 }),
    )
  }
  return goals
}

/** Returns the ratio of memory in the last fifth of the time to memory in the second; undefined for a run that is too short. */
export function findGrowth({ heldBytes }: Pick<ImportFigures, 'heldBytes'>): number | undefined {
  if (heldBytes.length < minSamples) return undefined
  const fifth = Math.floor(heldBytes.length / 5)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return mean(heldBytes.slice(-fifth)) / mean(heldBytes.slice(fifth, 2 * fifth))
}

function judgeHttp({ visitors, lengths, duringImport }: HttpPart, visits: number): Goal[] {
  const goals: Goal[] = []
  const add = (what: string, ms: number, isMet: boolean) => goals.push({ what, given: `${ms.toFixed(1)} ms`, isMet })
  const most: Partial<typeof maxCpuMs> = visits < manyVisits ? maxCpuMs : { year: manyVisitsYearMs }
  for (const { length, serverCpuMs } of lengths) {
    const limit = most[length]
    if (limit !== undefined) add(`${length}: at most ${limit} ms CPU at the median`, serverCpuMs, serverCpuMs <= limit)
  }
  if (visits < manyVisits) add('HTTP: p95 of getUniqueVisitors below 200 ms', visitors.p95Ms, visitors.p95Ms < 200)
  if (duringImport)
    add('HTTP: p99 of getAgentJob below 50 ms during an import', duringImport.p99Ms, duringImport.p99Ms < 50)
  return goals
}

function judgeAnswers(
  imported: ImportPart | undefined,
  visits: VisitsPart | undefined,
  http: HttpPart | undefined,
): Goal[] {
  const differences = (imported?.differences ?? 0) + (visits?.differences ?? 0) + (http?.differences ?? 0)
  const compared = (imported?.compared ?? 0) + (visits?.compared ?? 0)
  const given = `${differences} of ${compared.toLocaleString('en')} counts differ`
  return [{ what: 'all answers are correct', given, isMet: differences === 0 && compared > 0 }]
}

function ifLarge(isLarge: boolean, { isMet, ...goal }: Goal): Goal {
  return isLarge && isMet !== undefined ? { ...goal, isMet } : goal
}
