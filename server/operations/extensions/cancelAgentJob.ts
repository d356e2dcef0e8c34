import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { unknownAgentJob } from '../unknown.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { findRun, type RunDeps, toAgentRunBody } from './getAgentRun.ts'

export async function cancelAgentJob(
  { params }: Input<'cancelAgentJob'>,
  deps: RunDeps & Pick<ExtensionDeps, 'atomically' | 'now'>,
  client: Client,
): Promise<Output<'cancelAgentJob'>> {
  const run = await findRun(deps, client, params)
  if ('status' in run) return run
  const { projectId, jobId } = run
  const event = { action: 'agent-job.cancelled', subject: jobId, detail: projectId } as const
  const isCancelled = await recordByClient(deps, client, event, {
    change: ({ agentRuns }) => agentRuns.cancel(projectId, jobId, deps.now()),
    isChange: done => done,
  })
  if (!isCancelled) {
    return { status: 409, body: { error: 'The job has already ended.', code: 'illegal_transition' } }
  }
  const now = await deps.agentRuns.find(projectId, jobId)
  return now ? { status: 202, body: toAgentRunBody(now) } : { status: 404, body: unknownAgentJob }
}
