import type { HttpPart } from './http-part.ts'
import type { ImportFigures } from './import-figures.ts'
import type { ImportPart } from './import-part.ts'
import type { Length } from './ranges.ts'
import type { LengthFigures } from './trials.ts'
import type { VisitsPart } from './visits-part.ts'

/** A goal of the benchmark. */
export interface Goal {
  what: string
  /** The measured value as text. */
  given: string
  /** Undefined when the run is too small to judge. This is not a failure. */
  isMet?: boolean
}

/** Measurements of the parts of a run; without a log there is no import. */
export interface Results {
  import?: ImportPart
  visits: VisitsPart
  http: HttpPart
}

/** In smaller runs, most of the time is the start of a program. */
const minLines = 5_000_000
/** In smaller runs, bounded caches still grow, so unbounded growth cannot be detected. */
const manyLines = 50_000_000
const minVisits = 10_000_000
/** The goals for a hundred million visits apply to runs of at least this size. */
const manyVisits = 50_000_000
const minSamples = 20

const maxCpuMs: Record<Length, number> = { week: 10, month: 20, year: 40, odd: 60 }
const manyVisitsYearMs = 150
/** For logs of many lines, whose visits outgrow the cache of SQLite. */
const minLinesPerCpuSecond = 220_000

/** Compares the measurements with the goals for unique visitors. */
export function judge({ import: imported, visits, http }: Results): Goal[] {
  return [
    ...(imported ? judgeImport(imported) : []),
    ...judgeVisits(visits),
    ...judgeHttp(http, visits.visits),
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

function judgeVisits({ visits, lengths }: VisitsPart): Goal[] {
  const isLarge = visits >= minVisits
  return lengths.flatMap(figures => {
    const { length, first, deep, duckDb } = figures
    const slowest = Math.max(first.cpuMs, deep.cpuMs)
    const most =
      visits >= manyVisits ? { week: undefined, month: undefined, year: manyVisitsYearMs, odd: undefined } : maxCpuMs
    const goals: Goal[] = []
    const limit = most[length]
    if (limit !== undefined) {
      const given = `first page ${first.cpuMs.toFixed(1)} ms, deep page ${deep.cpuMs.toFixed(1)} ms`
      goals.push({ what: `${length}: at most ${limit} ms CPU at the median`, given, isMet: slowest <= limit })
    }
    if (duckDb) goals.push(...judgeBeside(length, duckDb).map(goal => ifLarge(isLarge, goal)))
    return goals
  })
}

function judgeBeside(length: Length, { first, deep }: NonNullable<LengthFigures['duckDb']>): Goal[] {
  const cpu = Math.min(first.cpuRatio, deep.cpuRatio)
  const wall = Math.min(first.wallRatio, deep.wallRatio)
  const given = `${cpu.toFixed(1)} times as fast by CPU time, ${wall.toFixed(1)} times by wall time`
  const goals = [{ what: `${length}: never slower than DuckDB`, given, isMet: cpu >= 1 && wall >= 1 }]
  if (length === 'year') goals.push({ what: 'year: 20 times as fast as DuckDB', given, isMet: cpu >= 20 })
  return goals
}

function judgeHttp({ visitors, duringImport }: HttpPart, visits: number): Goal[] {
  const goals: Goal[] = []
  if (visits < manyVisits) {
    goals.push({
      what: 'HTTP: p95 of getUniqueVisitors below 200 ms',
      given: `${visitors.p95Ms.toFixed(1)} ms`,
      isMet: visitors.p95Ms < 200,
    })
  }
  if (duringImport) {
    const given = `${duringImport.p99Ms.toFixed(1)} ms`
    goals.push({ what: 'HTTP: p99 of getAgentJob below 50 ms during an import', given, isMet: duringImport.p99Ms < 50 })
  }
  return goals
}

function judgeAnswers(imported: ImportPart | undefined, visits: VisitsPart, http: HttpPart): Goal[] {
  const differences = (imported?.differences ?? 0) + visits.differences + http.differences
  const compared = (imported?.compared ?? 0) + visits.compared
  const given = `${differences} of ${compared.toLocaleString('en')} counts differ`
  return [{ what: 'all answers are correct', given, isMet: differences === 0 && compared > 0 }]
}

function ifLarge(isLarge: boolean, { isMet, ...goal }: Goal): Goal {
  return isLarge && isMet !== undefined ? { ...goal, isMet } : goal
}

/** Formats bytes as MB (1e6) without the unit. */
export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
}
