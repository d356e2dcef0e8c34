import type { AgentJob } from '../../server/agent/agent-job.ts'
import type { Store } from '../../server/store/store.ts'
import { createId } from '../../server/tenancy/id.ts'

/** Jobs in each state, for requests about them. */
export interface PreparedAgents {
  /** A run that has ended, and one for a request that goes on with it. */
  endedRunId: string
  instructedRunId: string
  /** Runs that an agent works on; the first is for a request that cancels it. */
  cancelledRunId: string
  runningRunId: string
}

const limits = { active: 1000, openPullRequests: 1000 }
const usage = { modelCalls: 0, inputTokens: null, outputTokens: null, cost: null }

/** Gives a project a repository that nobody can read: jobs that the server takes fail at once. */
export async function addSource(store: Store, projectId: string): Promise<void> {
  const url = '/nowhere/docs.git'
  const page = 'https://git.example.com/acme/docs'
  const source = { projectId, url, page, branch: 'main', folders: [], isDraft: false }
  await store.agentSources.put({ ...source, forge: 'branch' }, null)
}

/** Uses up the instructions of an hour, by the default of --agent-jobs-hour. */
export async function spendInstructions(store: Store, organizationId: string, projectId: string): Promise<void> {
  const budget = { budget: `agents ${projectId}`, quota: 30, windowSeconds: 3600 }
  for (let taken = 0; taken < budget.quota; taken += 1)
    await store.rateLimits.take(organizationId, budget, () => Date.now())
}

export async function prepareAgents(store: Store, projectId: string, now: number): Promise<PreparedAgents> {
  await addSource(store, projectId)
  const run = async () => {
    const id = createId('aj')
    const job: AgentJob = {
      ...{ projectId, id, status: 'active', model: 'writer-2', prLink: null, createdAt: now, archivedAt: null },
      source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
    }
    await store.agentRuns.start(job, { prompt: 'Fix it.', branch: 'main', folder: null, isDraft: false }, limits)
    // The lease lasts an hour, so that the runner of the server does not claim the job.
    const claimed = await store.agentRuns.claim('test', { model: 'writer-2', perProject: 99, leaseMs: 3_600_000, now })
    if (!claimed) throw new Error('The run could not be claimed.')
    return claimed.lease
  }
  const endedRun = async () => {
    const lease = await run()
    const outcome = { end: 'no_change', explanation: 'Nothing changed.', prLink: null, change: null, usage } as const
    await store.agentRuns.end(lease, outcome, now)
    return lease.jobId
  }
  return {
    endedRunId: await endedRun(),
    instructedRunId: await endedRun(),
    cancelledRunId: (await run()).jobId,
    runningRunId: (await run()).jobId,
  }
}
