import { median } from '../report.ts'
import type { Run, Sample } from './run.ts'

export interface Figures {
  name: string
  requestsPerSecond: number
  /** Share of the baseline's requests per second in the same round. */
  share: number
  p50Ms: number
  p99Ms: number
  /** CPU time of the server process. It depends less than the wall time on other work on the machine. */
  cpuSecondsPer1000: number
  /** CPU time per request of the baseline, divided by the CPU time per request of this server. */
  cpuShare: number
}

/** Returns the medians over all rounds; shares are computed per round first. The first run is the baseline. */
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

/**
 * Returns how much more CPU time a server needs for a request than another one, as a share of the other's. It compares the smallest of
 * all rounds, because other work on the machine can only add to a time.
 */
export function compareCpu(runs: readonly Run[], name: string, other: string): number {
  const findLeast = (wanted: string) =>
    Math.min(...runs.flatMap(run => (run.name === wanted ? run.samples.map(cpuSecondsPer1000) : [])))
  return findLeast(name) / findLeast(other) - 1
}

/** Returns the share of one core used by the load generator in its busiest measurement; near 1 it would limit the result. */
export function findGeneratorShare(runs: readonly Run[]): number {
  return Math.max(...runs.flatMap(({ samples }) => samples.map(sample => sample.generatorCpuSeconds / sample.seconds)))
}

function requestsPerSecond({ requests, seconds }: Sample): number {
  return requests / seconds
}

function cpuSecondsPer1000({ serverCpuSeconds, requests }: Sample): number {
  return (serverCpuSeconds / requests) * 1000
}
