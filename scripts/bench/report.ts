import { availableParallelism, cpus, loadavg } from 'node:os'
import { Option } from 'commander'
import { integer } from '../../server/flags/setting.ts'

export interface Machine {
  cores: number
  cpu: string
  node: string
  /** One-minute average; the benchmark itself uses about two cores. */
  loadAverageBefore: number
  loadAverageAfter: number
}

/** Describes the machine at the end of a run, given the load average at its start. */
export function describeMachine(loadAverageBefore: number): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.version,
    loadAverageBefore,
    loadAverageAfter: loadavg()[0] ?? 0,
  }
}

/** Formats when and where a run took place, as RESULTS.md has it. */
export function conditionsText({ cores, cpu, node, loadAverageBefore, loadAverageAfter }: Machine): string {
  const at = new Date().toISOString().slice(0, 16).replace('T', ' ')
  const load = `load average ${loadAverageBefore.toFixed(1)} before and ${loadAverageAfter.toFixed(1)} after.`
  return `${at} UTC, ${cores} cores (${cpu}), Node ${node}, ${load}`
}

/** Formats rows of cells as a Markdown table; the first row is the header. */
export function toTable(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows
  return [
    toTableRow(head),
    toTableRow(head.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...body.map(toTableRow),
  ]
}

export function toTableRow(cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`
}

/** Formats bytes as MB (1e6) without the unit. */
export function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '-' : (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
}

/** @throws {Error} when there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1]
  const lower = sorted[(sorted.length - 1) >> 1]
  if (upper === undefined || lower === undefined) throw new Error('Cannot compute the median of an empty list.')
  return (lower + upper) / 2
}

/** A flag with a whole number. Its variable is named after it. */
export function numberOption(
  flag: string,
  text: string,
  fallback: number,
  [least, most]: readonly [number, number],
): Option {
  const variable = `QUIRE_BENCH_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`
  return new Option(`${flag} <number>`, text).env(variable).default(fallback).argParser(integer(least, most))
}
