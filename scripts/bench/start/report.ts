import { conditionsText, type Machine, median, toTable } from '../report.ts'
import type { StartSample } from './measure-start.ts'

export interface StartRuns {
  name: string
  fresh: StartSample[]
  existing: StartSample[]
}

export interface Report {
  machine: Machine
  rounds: number
  binaryBytes: number
  runs: StartRuns[]
}

export interface Goal {
  text: string
  isMet: boolean
}

const limits = { binaryMb: 130, freshMs: 450, existingMs: 250, residentMb: 135 }

/** Compares the binary with its goals. */
export function judge({ binaryBytes, runs }: Report): Goal[] {
  const binary = runs.find(({ name }) => name === 'binary')
  if (!binary) return []
  const figures: [string, number, number][] = [
    ['size, MB', binaryBytes / 1e6, limits.binaryMb],
    ['first answer on fresh data, ms', of(binary.fresh, 'firstAnswerMs'), limits.freshMs],
    ['first answer on existing data, ms', of(binary.existing, 'firstAnswerMs'), limits.existingMs],
    ['resident when idle, MB', of(binary.existing, 'residentBytes') / 1e6, limits.residentMb],
  ]
  return figures.map(([what, value, limit]) => ({
    text: `${what}: ${value.toFixed(0)}, at most ${limit}`,
    isMet: value <= limit,
  }))
}

const of = (samples: readonly StartSample[], figure: keyof StartSample) => median(samples.map(sample => sample[figure]))

/** Formats the report as Markdown for RESULTS.md. */
export function startText(report: Report): string {
  const { machine, rounds, runs } = report
  const heads = ['program', 'data', 'first answer ms', 'minimum', 'CPU ms', 'resident MB', 'own MB']
  const rows = runs.flatMap(({ name, fresh, existing }) => [
    toRow(name, 'fresh', fresh),
    toRow(name, 'existing', existing),
  ])
  return [
    conditionsText(machine),
    `${rounds} interleaved rounds; medians. Own memory is not shared with other processes; the rest is mapped files.`,
    '',
    ...toTable([heads, ...rows]),
    '',
    ...judge(report).map(({ text, isMet }) => `- ${text}: ${isMet ? 'met' : 'missed'}`),
  ].join('\n')
}

function toRow(name: string, data: string, samples: readonly StartSample[]): string[] {
  const minimum = Math.min(...samples.map(({ firstAnswerMs }) => firstAnswerMs))
  return [
    name,
    data,
    of(samples, 'firstAnswerMs').toFixed(0),
    minimum.toFixed(0),
    of(samples, 'cpuMs').toFixed(0),
    (of(samples, 'residentBytes') / 1e6).toFixed(0),
    (of(samples, 'ownBytes') / 1e6).toFixed(0),
  ]
}
