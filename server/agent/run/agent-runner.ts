import { type ClaimLoop, startClaiming } from '../../base/claim-loop.ts'
import type { ClaimedRun } from '../agent-run.ts'
import type { Confinement } from '../agent-settings.ts'
import { findConfinement } from '../session/find-confinement.ts'
import { type LockFolder, openWorkFolder, type WorkFolder } from './job-folders.ts'
import { type AgentJobDeps, runAgentJob } from './run-agent-job.ts'

export interface AgentRunnerDeps extends Omit<AgentJobDeps, 'confinement' | 'workFolder'> {
  /** For the folders of runners. Each one makes its own. */
  workFolders: string
  lockFolder: LockFolder
  /** Identifies this process in a lease. */
  owner: string
}

const pollMs = 1000
/** How often a runner looks for a confinement again that it lacks. */
const retryMs = 60_000

/**
 * Starts the loop that claims agent jobs and runs them. Without a confinement, it says why and claims nothing: jobs wait for a runner
 * that has one.
 */
export function startAgentRunner(deps: AgentRunnerDeps): ClaimLoop {
  const { agentRuns, settings, leaseMs, log, now, owner } = deps
  const stopping = new AbortController()
  let opened: WorkFolder | undefined
  const find = createConfinementFinder(deps)
  const loop = startClaiming<{ claimed: ClaimedRun; confinement: Confinement; workFolder: string }>({
    async claim(running) {
      opened ??= await openWorkFolder(deps.workFolders, deps.lockFolder)
      if (running.length >= settings.jobsAtOnce || stopping.signal.aborted) return undefined
      const confinement = await find()
      if (!confinement) return undefined
      const options = { model: settings.agent.model, perProject: settings.perProject, leaseMs, now: now() }
      const claimed = await agentRuns.claim(owner, options)
      return claimed && { claimed, confinement, workFolder: opened.path }
    },
    run: ({ claimed, ...own }) =>
      runAgentJob({ ...deps, ...own }, claimed, stopping.signal).catch(error =>
        log.error({ err: error, jobId: claimed.run.jobId }, 'the agent runner failed; it tries again'),
      ),
    onError: error => log.error({ err: error }, 'the agent runner failed; it tries again'),
    pollMs,
  })
  return {
    wake: loop.wake,
    async stop() {
      stopping.abort()
      await loop.stop()
      await opened?.close().catch(error => log.warn({ err: error }, 'could not remove the folder of the agent runner'))
    },
  }
}

/** Returns a function that finds the confinement when the first job waits for it, and until then looks again from time to time. */
function createConfinementFinder({
  agentRuns,
  settings,
  log,
}: AgentRunnerDeps): () => Promise<Confinement | undefined> {
  let found = settings.confinement === 'find' ? undefined : settings.confinement
  let triedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (found || performance.now() - triedAt < retryMs || !(await agentRuns.hasOpen())) return found
    triedAt = performance.now()
    const result = await findConfinement()
    if ('problem' in result)
      log.error(
        {},
        `agent jobs wait: ${result.problem} npx quire serve --agent-unconfined runs agents without a confinement.`,
      )
    else found = result.confinement
    return found
  }
}
