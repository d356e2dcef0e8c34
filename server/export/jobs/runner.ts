import { type ClaimLoop, startClaiming } from '../../base/claim-loop.ts'
import { createBrowserAlarm } from './browser-alarm.ts'
import type { ClaimedJob } from './export-job.ts'
import { createGivenBack } from './given-back.ts'
import { sweepLeftovers } from './leftovers.ts'
import { type JobDeps, type RunningHosts, runJob } from './run-job.ts'

export interface RunnerDeps extends Omit<JobDeps, 'browserAlarm' | 'givenBack'> {
  /** Identifies this process in a lease. */
  owner: string
  /** How many exports this process works on at once. */
  exportsAtOnce: number
  /** Whether runners on other machines, where the browser may start, take jobs too. */
  hasOthers: boolean
}

/** `stop` also ends the current exports and releases their leases. */
export type Runner = ClaimLoop

const pollMs = 1000

/** Starts the loop that claims export jobs and runs them, several at once. */
export function startRunner(deps: RunnerDeps): Runner {
  const { exportJobs, exportsAtOnce, leaseMs, log, now, owner } = deps
  const stopping = new AbortController()
  const hosts: RunningHosts = new Map()
  const takesOver = watchClock(now, leaseMs)
  const givenBack = deps.hasOthers ? createGivenBack() : null
  const jobDeps = { ...deps, browserAlarm: createBrowserAlarm(log), givenBack }
  const swept = sweepLeftovers(deps.workFolder, exportJobs).catch(error =>
    log.warn({ err: error }, 'could not remove the scratch files of killed exports'),
  )
  const loop = startClaiming<ClaimedJob>({
    async claim(running) {
      await swept
      if (running.length >= exportsAtOnce || stopping.signal.aborted) return undefined
      return exportJobs.claim(owner, now(), leaseMs, {
        maxPerOrganization: halfOf(exportsAtOnce),
        heldJobs: [...running.map(({ job }) => job.jobId), ...(givenBack?.list() ?? [])],
        takesOver: takesOver(),
      })
    },
    run: claimed =>
      runJob(jobDeps, claimed, hosts, stopping.signal).catch(error =>
        log.error({ err: error, jobId: claimed.job.jobId }, 'the export runner failed; it tries again'),
      ),
    onError: error => log.error({ err: error }, 'the export runner failed; it tries again'),
    pollMs,
  })
  return {
    wake: loop.wake,
    async stop() {
      stopping.abort()
      await loop.stop()
    },
  }
}

/**
 * Returns how many exports one organization may have at work. The other half is for the others: exports are not paused, so
 * an organization with slow sites would otherwise hold up everybody.
 */
function halfOf(exportsAtOnce: number): number {
  return Math.max(1, Math.floor(exportsAtOnce / 2))
}

/**
 * Returns a function that decides whether expired leases may be claimed. After the clock was set forward, all leases look
 * expired, so their holders get the time of one lease to renew them.
 */
function watchClock(now: () => number, leaseMs: number): () => boolean {
  let lastAt = now()
  let lastTick = performance.now()
  let waitsUntil = Number.NEGATIVE_INFINITY
  return () => {
    const tick = performance.now()
    const at = now()
    const aheadMs = at - lastAt - (tick - lastTick)
    if (aheadMs > leaseMs / 2) waitsUntil = tick + leaseMs
    lastAt = at
    lastTick = tick
    return tick >= waitsUntil
  }
}
