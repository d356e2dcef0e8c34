import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { transition } from '../../agent/agent-job.ts'
import type { Client } from '../client.ts'
import { toAgentJobBody } from '../getAgentJob.ts'
import { unknownAgentJob, unknownProject } from '../unknown.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { findProject } from './find-project.ts'

export async function archiveAgentJob(
  { params }: Input<'archiveAgentJob'>,
  deps: Pick<ExtensionDeps, 'projects' | 'agentJobs' | 'atomically' | 'now'>,
  client: Client,
): Promise<Output<'archiveAgentJob'>> {
  const project = await findProject(deps, client, params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  const job = await deps.agentJobs.find(project.id, params.id)
  if (!job) return { status: 404, body: unknownAgentJob }
  if (job.status === 'archived') return { status: 200, body: toAgentJobBody(job) }
  if (job.status === 'active') {
    const error = 'The job is active. Archive it when it is completed or failed.'
    return { status: 409, body: { error, code: 'illegal_transition' } }
  }
  const next = transition(job, 'archived', deps.now())
  const event = { action: 'agent-job.archived', subject: job.id, detail: project.id } as const
  await recordByClient(deps, client, event, {
    change: ({ agentJobs }) => agentJobs.update(next, job.status),
    isChange: done => done,
  })
  // Another request may have archived it first.
  const now = await deps.agentJobs.find(project.id, params.id)
  return now ? { status: 200, body: toAgentJobBody(now) } : { status: 404, body: unknownAgentJob }
}
