import { toTable } from '../export/report.ts'
import { tenths } from '../export-scale/measure-size.ts'
import type { Machine } from '../http/report.ts'
import { type Goal, megabytes, type Results } from './goals.ts'
import type { HttpPart } from './http-part.ts'
import type { ImportFigures } from './import-figures.ts'
import type { ImportPart } from './import-part.ts'
import type { Percentiles } from './percentiles.ts'
import type { Plan } from './plan.ts'
import type { LengthFigures, Timing } from './trials.ts'
import type { VisitsPart } from './visits-part.ts'

export interface Report extends Results {
  /** RFC 3339. */
  at: string
  command: string
  machine: Machine
  plan: Plan
  seconds: number
  goals: Goal[]
}

/** Formats the report as Markdown for RESULTS.md. */
export function visitorsText(report: Report): string {
  const { at, command, machine, seconds, goals } = report
  return [
    `\`${command}\``,
    '',
    `${at.slice(0, 16).replace('T', ' ')} UTC, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ` +
      `${machine.loadAverageBefore.toFixed(1)} before and ${machine.loadAverageAfter.toFixed(1)} after, ${Math.ceil(seconds / 60)} minutes.`,
    ...(report.import ? importText(report.import) : []),
    ...visitsText(report.visits),
    ...httpText(report.http),
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

function visitsText({ fill, distinct, storedBytes, lengths, ...part }: VisitsPart): string[] {
  const lines = [
    '',
    `${whole(part.visits)} visits, ${whole(distinct)} different ones by visitor, page and day. Recording took ` +
      `${fill.storeCpuSeconds.toFixed(1)} s of CPU time in the store, at most ${megabytes(fill.peakBytes)} MB of memory, and ${megabytes(storedBytes)} MB on disk.`,
    `The answering process used at most ${megabytes(part.peakBytes)} MB.`,
  ]
  if (part.duckDbLoad) {
    lines.push(
      `DuckDB: ${part.duckDbLoad.cpuSeconds.toFixed(1)} s of CPU time to load, ${megabytes(part.duckDbLoad.storedBytes)} MB on disk, ` +
        `at most ${megabytes(part.duckDbPeakBytes ?? 0)} MB to answer. Each query has two variants; the one with less CPU time counts.`,
    )
  }
  const heads = ['CPU ms (wall ms)', 'cold', 'first page', 'deep page', 'next page', 'DuckDB first', 'DuckDB deep']
  return [...lines, '', ...toTable([heads, ...lengths.map(toLengthRow)])]
}

const names = { week: '7 days', month: '30 days', year: '365 days', odd: '45 to 367 days' }

function toLengthRow({ length, cold, first, deep, next, duckDb }: LengthFigures): string[] {
  const theirs = duckDb ? [show(duckDb.first), show(duckDb.deep)] : ['-', '-']
  return [names[length], show(cold), show(first), show(deep), show(next), ...theirs]
}

function httpText({ visitors, idle, duringImport }: HttpPart): string[] {
  const row = (name: string, { requests, p50Ms, p95Ms, p99Ms, maxMs }: Percentiles) => [
    name,
    whole(requests),
    ...[p50Ms, p95Ms, p99Ms, maxMs].map(ms => ms.toFixed(1)),
  ]
  return [
    '',
    ...toTable([
      ['over HTTP', 'requests', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'],
      row('getUniqueVisitors, one at a time, different ranges', visitors),
      row('getAgentJob, 100 per second', idle),
      ...(duringImport ? [row('getAgentJob, 100 per second, during an import', duringImport)] : []),
    ]),
    '',
    `The server used ${visitors.serverCpuMs.toFixed(1)} ms of CPU time per answer of getUniqueVisitors.` +
      (duringImport ? ` The import at the same time took ${duringImport.import.wallSeconds.toFixed(1)} s.` : ''),
  ]
}

function show({ cpuMs, wallMs }: Timing): string {
  return `${cpuMs.toFixed(1)} (${wallMs.toFixed(1)})`
}

function whole(count: number): string {
  return Math.round(count).toLocaleString('en')
}
