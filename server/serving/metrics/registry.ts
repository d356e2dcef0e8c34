import { Counter, collectDefaultMetrics, Gauge, type OpenMetricsContentType, Registry } from 'prom-client'
import { createByLabels, type Labels } from './by-labels.ts'
import { createHistogram } from './histogram.ts'

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
      const counts = createByLabels(about.labels ?? [], labels => ({ labels, sum: 0 }))
      // prom-client gets the sums only when they are read, because it sorts and checks the labels each time.
      new Counter({
        ...options(about),
        collect() {
          this.reset()
          for (const { labels, sum } of counts.list()) this.inc({ ...labels }, sum)
        },
      })
      return (labels: Labels, by = 1) => {
        counts.find(labels).sum += by
      }
    },
    /** Adds a distribution of seconds. */
    time(about: Description) {
      const { metric, observe } = createHistogram(about, buckets)
      registry.registerMetric(metric)
      return observe
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
