import type { Run, Sample } from './run.ts'

export interface Figures {
  name: string
  requestsPerSecond: number
  /** Of the requests per second of the yardstick in the same round. */
  share: number
  p50Ms: number
  p99Ms: number
  /** Of the server process: what other work on the machine disturbs least. */
  cpuSecondsPer1000: number
  /** CPU time that the yardstick takes for a request, as a share of what this server takes. */
  cpuShare: number
}

/** The medians over all rounds; a share is taken in each round and then the median of it. The first run is the yardstick. */
export function summarize(runs: readonly Run[]): Figures[] {
  const yardstick = runs[0]?.samples ?? []
  return runs.map(({ name, samples }) => {
    const share = (figure: (sample: Sample) => number) =>
      median(samples.map((sample, round) => figure(sample) / figure(yardstick[round] as Sample)))
    return {
      name,
      requestsPerSecond: median(samples.map(requestsPerSecond)),
      share: share(requestsPerSecond),
      p50Ms: median(samples.map(sample => sample.p50Ms)),
      p99Ms: median(samples.map(sample => sample.p99Ms)),
      cpuSecondsPer1000: median(samples.map(cpuSecondsPer1000)),
      cpuShare: 1 / share(cpuSecondsPer1000),
    }
  })
}

/** How much of one core the load generator used in its busiest turn; near 1 it would be what is measured. */
export function findGeneratorShare(runs: readonly Run[]): number {
  return Math.max(...runs.flatMap(({ samples }) => samples.map(sample => sample.generatorCpuSeconds / sample.seconds)))
}

function requestsPerSecond({ requests, seconds }: Sample): number {
  return requests / seconds
}

function cpuSecondsPer1000({ serverCpuSeconds, requests }: Sample): number {
  return (serverCpuSeconds / requests) * 1000
}

/** @throws {Error} when there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1]
  const lower = sorted[(sorted.length - 1) >> 1]
  if (upper === undefined || lower === undefined) throw new Error('There is no median of nothing.')
  return (lower + upper) / 2
}
