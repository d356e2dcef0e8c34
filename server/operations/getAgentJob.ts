import type { Input, Output } from '../../generated/operations.ts'
import type { AgentJob } from '../agent/agent-job.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'
import { unknownAgentJob, unknownProject } from './unknown.ts'

export async function getAgentJob(
  { params }: Input<'getAgentJob'>,
  { projects, agentJobs }: Pick<Deps, 'projects' | 'agentJobs'>,
  caller: Caller,
): Promise<Output<'getAgentJob'>> {
  const { organizationId } = caller
  const job = await agentJobs.findOwned(organizationId, params.projectId, params.id)
  if (job) return { status: 200, body: toBody(job) }
  const project = await projects.findOwned(organizationId, params.projectId)
  return { status: 404, body: project ? unknownAgentJob : unknownProject }
}

function toBody(job: AgentJob): Extract<Output<'getAgentJob'>, { status: 200 }>['body'] {
  return {
    id: job.id,
    status: job.status,
    source: { repository: job.source.repository, ref: job.source.ref },
    model: job.model,
    prLink: job.prLink,
    createdAt: new Date(job.createdAt).toISOString(),
    archivedAt: job.archivedAt === null ? null : new Date(job.archivedAt).toISOString(),
  }
}
