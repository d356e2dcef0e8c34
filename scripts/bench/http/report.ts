import { availableParallelism, cpus, loadavg } from 'node:os'
import type { Plan } from './run.ts'
import type { Figures } from './summary.ts'

export interface Machine {
  cores: number
  cpu: string
  node: string
  /** One-minute average; the benchmark itself uses about two cores. */
  loadAverageBefore: number
  loadAverageAfter: number
}

export interface Report {
  /** RFC 3339. */
  at: string
  machine: Machine
  plan: Plan
  /** CPU time of the load generator per second of wall time, in its busiest measurement. */
  generatorShare: number
  servers: Figures[]
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

/** Formats the report as Markdown for RESULTS.md. */
export function toText({ at, machine, plan, generatorShare, servers }: Report): string {
  const rows = servers.map(server => [
    server.name,
    Math.round(server.requestsPerSecond).toLocaleString('en'),
    server.share.toFixed(2),
    server.p50Ms.toFixed(1),
    server.p99Ms.toFixed(1),
    server.cpuSecondsPer1000.toFixed(3),
    server.cpuShare.toFixed(2),
  ])
  const heads = ['server', 'requests/s', 'share of bare', 'p50 ms', 'p99 ms', 'CPU s per 1,000', 'share by CPU']
  const table = [heads, heads.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
  const widths = heads.map((_, column) => Math.max(...table.map(row => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  return [
    `${at.slice(0, 16).replace('T', ' ')} UTC, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ` +
      `${machine.loadAverageBefore.toFixed(1)} before and ${machine.loadAverageAfter.toFixed(1)} after.`,
    `${plan.rounds} rounds of ${plan.seconds} s per server, ${plan.connections} connections, ${plan.jobs.toLocaleString('en')} jobs; medians. ` +
      `The load generator used at most ${generatorShare.toFixed(2)} of a core.`,
    '',
    ...table.map(line),
  ].join('\n')
}
