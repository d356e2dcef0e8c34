import { createPause } from '../../base/wakeable-pause.ts'
import { createBrowserAlarm } from './browser-alarm.ts'
import type { ClaimedJob, ClaimLimits } from './export-job.ts'
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

export interface Runner {
  /** Looks for work immediately and does not wait for the next poll. */
  wake(): void
  /** Stops the current exports, releases their leases, and resolves when no work is running. */
  stop(): Promise<void>
}

const pollMs = 1000

/** Starts the loop that claims export jobs and runs them, several at once. */
export function startRunner(deps: RunnerDeps): Runner {
  const { exportJobs, exportsAtOnce, leaseMs, log, now, owner } = deps
  const stopping = new AbortController()
  /** The attempts at work, by job id. */
  const running = new Map<string, Promise<void>>()
  const hosts: RunningHosts = new Map()
  const takesOver = watchClock(now, leaseMs)
  const pause = createPause()
  const givenBack = deps.hasOthers ? createGivenBack() : null
  const jobDeps = { ...deps, browserAlarm: createBrowserAlarm(log), givenBack }

  function start(claimed: ClaimedJob): void {
    const { jobId } = claimed.job
    const attempt = runJob(jobDeps, claimed, hosts, stopping.signal)
      .catch(error => log.error({ err: error, jobId }, 'the export runner failed; it tries again'))
      .finally(() => {
        running.delete(jobId)
        pause.end()
      })
    running.set(jobId, attempt)
  }

  /** Claims a job if there is one and an export may begin. */
  async function claimNext(): Promise<boolean> {
    if (running.size >= exportsAtOnce) return false
    const limits: ClaimLimits = {
      maxPerOrganization: halfOf(exportsAtOnce),
      heldJobs: [...running.keys(), ...(givenBack?.list() ?? [])],
      takesOver: takesOver(),
    }
    const claimed = await exportJobs.claim(owner, now(), leaseMs, limits)
    if (claimed) start(claimed)
    return claimed !== undefined
  }

  async function loop(): Promise<void> {
    await sweepLeftovers(deps.workFolder, exportJobs).catch(error =>
      log.warn({ err: error }, 'could not remove the scratch files of killed exports'),
    )
    while (!stopping.signal.aborted) {
      const hasClaimed = await claimNext().catch(error => {
        log.error({ err: error }, 'the export runner failed; it tries again')
        return false
      })
      if (!hasClaimed && !stopping.signal.aborted) await pause.wait(pollMs)
    }
    await Promise.all(running.values())
  }

  const looping = loop()
  return {
    wake: pause.end,
    async stop() {
      stopping.abort()
      pause.end()
      await looping
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
