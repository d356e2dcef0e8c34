import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { AgentRun } from '../../agent/agent-run.ts'
import type { Client } from '../client.ts'
import { unknownAgentJob, unknownProject } from '../unknown.ts'
import type { ExtensionDeps } from './deps.ts'
import { findProject } from './find-project.ts'

const notRun = {
  error: 'Quire did not run this job. Whoever reported it knows more.',
  code: 'unknown_agent_run',
} as const

export async function getAgentRun(
  { params }: Input<'getAgentRun'>,
  deps: RunDeps,
  client: Client,
): Promise<Output<'getAgentRun'>> {
  const run = await findRun(deps, client, params)
  return 'status' in run ? run : { status: 200, body: toAgentRunBody(run) }
}

export type RunDeps = Pick<ExtensionDeps, 'projects' | 'agentJobs' | 'agentRuns'>

/** Finds a run that the caller may see, or answers why there is none. */
export async function findRun(
  deps: RunDeps,
  client: Client,
  { projectId, id }: { projectId: string; id: string },
): Promise<AgentRun | Extract<Output<'getAgentRun'>, { status: 404 }>> {
  const project = await findProject(deps, client, projectId)
  if (!project) return { status: 404, body: unknownProject }
  const run = await deps.agentRuns.find(project.id, id)
  if (run) return run
  const job = await deps.agentJobs.find(project.id, id)
  return { status: 404, body: job ? notRun : unknownAgentJob }
}

export function toAgentRunBody(run: AgentRun): Extract<Output<'getAgentRun'>, { status: 200 }>['body'] {
  const { jobId, state, prompt, turn, branch, folder, changeBranch, commit, end, explanation } = run
  const { files, added, removed, usage, events, expiredEvents } = run
  return {
    ...{ jobId, state, prompt, turn, branch, folder, draft: run.isDraft, changeBranch, commit, end, explanation },
    ...{ cancelling: run.isCancelling, files, added, removed, ...usage, events, expiredEvents },
    queuedAt: new Date(run.queuedAt).toISOString(),
    startedAt: toTime(run.startedAt),
    endedAt: toTime(run.endedAt),
  }
}

function toTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
