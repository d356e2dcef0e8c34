/** How long another runner has time to take a job, before this one tries again. */
const leftMs = 60_000
/** A job that no runner with a browser took for this long fails, so that nobody waits for ever. */
const patienceMs = 600_000

/** Jobs that need a browser, and that a process without one leaves to others. */
export interface GivenBack {
  /** Notes that a job is left to others. Returns false when it has waited for too long already. */
  add(jobId: string): boolean
  /** Returns the jobs that this process does not claim for now. */
  list(): string[]
}

/** @param now milliseconds of a clock that is never set */
export function createGivenBack(now = () => performance.now()): GivenBack {
  const jobs = new Map<string, { since: number; until: number }>()
  return {
    add(jobId) {
      const at = now()
      const { since } = jobs.get(jobId) ?? { since: at }
      jobs.delete(jobId)
      if (at - since >= patienceMs) return false
      jobs.set(jobId, { since, until: at + leftMs })
      return true
    },
    list() {
      const at = now()
      for (const [jobId, { until }] of jobs) if (at - until > patienceMs) jobs.delete(jobId)
      return [...jobs].filter(([, { until }]) => until > at).map(([jobId]) => jobId)
    },
  }
}
