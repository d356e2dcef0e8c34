import type { ImportFigures } from '../measured-script.ts'
import { conditionsText, type Machine, megabytes, toTable } from '../report.ts'
import type { Goal, Results } from './goals.ts'
import type { HttpPart } from './http-part.ts'
import type { ImportPart } from './import-part.ts'
import type { Percentiles } from './percentiles.ts'
import type { Plan } from './plan.ts'
import type { Length } from './ranges.ts'
import type { VisitsPart } from './visits-part.ts'

export interface Report extends Results {
  command: string
  machine: Machine
  plan: Plan
  seconds: number
  /** False when the run failed or was interrupted; then it has only the parts before. */
  isFinished: boolean
  goals: Goal[]
}

/** Formats the report as Markdown for RESULTS.md. */
export function visitorsText(report: Report): string {
  const { command, machine, seconds, isFinished, goals } = report
  return [
    `\`${command}\``,
    '',
    `${conditionsText(machine)} ${Math.ceil(seconds / 60)} minutes.`,
    ...(isFinished ? [] : ['', 'The run ended early. These are the parts that it measured before.']),
    ...(report.import ? importText(report.import) : []),
    ...(report.visits ? ['', ...visitsText(report.visits)] : []),
    ...(report.http ? ['', ...httpText(report.http)] : []),
    '',
    ...toTable([['goal', 'measured', 'met'], ...goals.map(toRow)]),
  ].join('\n')
}

function toRow({ what, given, isMet }: Goal): string[] {
  return [what, given, isMet === undefined ? 'not judged at this size' : isMet ? 'yes' : 'no']
}

function importText({ log, quire, goAccess, storedBytes }: ImportPart): string[] {
  const { human, ai, neither } = log.views
  const row = (name: string, figures: ImportFigures, stored: string) => [
    name,
    whole(figures.linesPerCpuSecond),
    figures.cpuSeconds.toFixed(1),
    figures.wallSeconds.toFixed(1),
    megabytes(figures.peakBytes),
    stored,
  ]
  return [
    '',
    `A log of ${whole(log.lines)} lines, ${megabytes(log.bytes)} MB. Page views: people ${whole(human)}, AI ${whole(ai)}, neither ` +
      `${whole(neither)}. Other requests: ${whole(log.filtered)}. Malformed lines: ${whole(log.malformed)}.`,
    '',
    ...toTable([
      ['import', 'lines per CPU s', 'CPU s', 'wall s', 'peak MB', 'MB on disk'],
      row('quire visits import', quire, megabytes(storedBytes)),
      ...(goAccess ? [row('GoAccess', goAccess, '-')] : []),
    ]),
    '',
    `Memory of the import in MB, per tenth of its time: ${tenths(quire.heldBytes).map(megabytes).join(' ')}`,
  ]
}

function visitsText({ fill, distinct, storedBytes, visits }: VisitsPart): string[] {
  return [
    `${whole(visits)} visits, ${whole(distinct)} different ones by visitor, page and day. Recording took ` +
      `${fill.storeCpuSeconds.toFixed(1)} s of CPU time in the store, at most ${megabytes(fill.peakBytes)} MB of memory, and ${megabytes(storedBytes)} MB on disk.`,
  ]
}

const names: Record<Length, string> = { week: '7 days', month: '30 days', year: '365 days', odd: '45 to 367 days' }

function httpText({ visitors, lengths, idle, duringImport }: HttpPart): string[] {
  const row = (name: string, { requests, p50Ms, p95Ms, p99Ms, maxMs }: Percentiles, cpuMs = '-') => [
    name,
    whole(requests),
    ...[p50Ms, p95Ms, p99Ms, maxMs].map(ms => ms.toFixed(1)),
    cpuMs,
  ]
  return [
    ...toTable([
      ['over HTTP', 'requests', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'CPU ms of the server'],
      ...lengths.map(each => row(`getUniqueVisitors, ${names[each.length]}`, each, each.serverCpuMs.toFixed(1))),
      row('getUniqueVisitors, one at a time, different ranges', visitors),
      row('getAgentJob, 100 per second', idle),
      ...(duringImport ? [row('getAgentJob, 100 per second, during an import', duringImport)] : []),
    ]),
    ...(duringImport ? ['', `The import at the same time took ${duringImport.import.wallSeconds.toFixed(1)} s.`] : []),
  ]
}

function whole(count: number): string {
  return Math.round(count).toLocaleString('en')
}

/** Returns the means of ten equal parts; fewer if there are fewer values. */
export function tenths(values: readonly number[]): number[] {
  const parts = Math.min(10, values.length)
  return Array.from({ length: parts }, (_, index) => {
    const part = values.slice(
      Math.floor((index * values.length) / parts),
      Math.floor(((index + 1) * values.length) / parts),
    )
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}
