import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'

/** Values of the labels of one metric. */
export type Labels = Readonly<Record<string, string | number>>

export interface Description {
  /** With its unit and without `_total`, which counters get. */
  name: string
  help: string
  labels?: readonly string[]
}

/** The metrics of a process, in the text format of OpenMetrics 1.0. */
export type MetricsRegistry = ReturnType<typeof createRegistry>

/** A value of a gauge; undefined = it is not known, and left out. */
export type Reading = readonly [labels: Labels, value: number | undefined]

/** From an answer of the API to a page of a large report. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Creates the metrics of a process: those of Node (memory, event loop, garbage collection), and what is added. */
export function createRegistry() {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  const options = ({ name, help, labels = [] }: Description) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  return {
    contentType: registry.contentType as string,
    /** Reads the gauges and writes all values. */
    write: () => registry.metrics(),
    /** Adds a number that only grows. */
    count(about: Description) {
      const counter = new Counter(options(about))
      return (labels: Labels, by = 1) => counter.inc({ ...labels }, by)
    },
    /** Adds a distribution of seconds. */
    time(about: Description) {
      const histogram = new Histogram({ ...options(about), buckets })
      return (labels: Labels, seconds: number) => histogram.observe({ ...labels }, seconds)
    },
    /** Adds values that are read when they are asked for. Those of the last time are forgotten. */
    gauge(about: Description, read: () => Promise<readonly Reading[]> | readonly Reading[]): void {
      const { labels = [] } = about
      new Gauge({
        ...options(about),
        async collect() {
          this.reset()
          // A gauge without labels is 0 after that, as if somebody had read it.
          if (labels.length === 0) this.remove()
          for (const [of, value] of await read()) if (value !== undefined) this.set({ ...of }, value)
        },
      })
    },
  }
}
