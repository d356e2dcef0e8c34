import { toTable } from '../export/report.ts'
import type { Machine } from '../http/report.ts'
import { median } from '../http/summary.ts'
import type { PackSample } from './pack-process.ts'
import type { CorpusResult, WriterRun } from './run.ts'

export interface Report {
  /** RFC 3339. */
  at: string
  machine: Machine
  rounds: number
  corpora: CorpusResult[]
}

const heads = [
  'writer',
  'CPU ms',
  'share',
  'CPU ms, second archive',
  'share',
  'wall ms',
  'wall ms, second archive',
  'CPU ms to load',
  'archive MB',
  'peak MB',
]

/** Formats the report as Markdown for RESULTS.md. */
export function archiveText({ at, machine, rounds, corpora }: Report): string {
  return [
    `${at.slice(0, 16).replace('T', ' ')} UTC, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ` +
      `${machine.loadAverageBefore.toFixed(1)} before and ${machine.loadAverageAfter.toFixed(1)} after.`,
    `${rounds} interleaved rounds. Each writer runs in a new process per round and writes two archives. Medians (minimum to maximum).`,
    ...corpora.flatMap(({ name, files, sizeBytes, runs }) => [
      '',
      `${name}: ${files.toLocaleString('en')} files, ${megabytes(sizeBytes)} MB`,
      '',
      ...toTable([heads, ...runs.map(run => toRow(run, runs[0] as WriterRun))]),
    ]),
  ].join('\n')
}

function toRow({ writer, samples }: WriterRun, yardstick: WriterRun): string[] {
  const spread = (figure: (sample: PackSample) => number) => toSpread(samples.map(figure))
  const share = (figure: (sample: PackSample) => number) => findShare(samples, yardstick.samples, figure).toFixed(2)
  return [
    writer,
    spread(({ first }) => first.cpuMs),
    share(({ first }) => first.cpuMs),
    spread(({ second }) => second.cpuMs),
    share(({ second }) => second.cpuMs),
    spread(({ first }) => first.wallMs),
    spread(({ second }) => second.wallMs),
    median(samples.map(({ loadCpuMs }) => loadCpuMs)).toFixed(0),
    megabytes(median(samples.map(({ sizeBytes }) => sizeBytes))),
    median(samples.map(({ peakBytes }) => peakBytes / 1e6)).toFixed(0),
  ]
}

/** Returns the median of the ratios of a figure to the same figure of the baseline, round by round. */
export function findShare<T>(samples: readonly T[], yardstick: readonly T[], figure: (sample: T) => number): number {
  return median(samples.map((sample, round) => figure(sample) / figure(yardstick[round] as T)))
}

/** Formats the median, minimum and maximum, such as `310 (290-402)`. */
export function toSpread(values: readonly number[]): string {
  return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}-${Math.max(...values).toFixed(0)})`
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2)
}
