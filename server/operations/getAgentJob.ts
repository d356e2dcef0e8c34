import type { Input, Output } from '../../generated/operations.ts'
import type { AgentJob } from '../agent/agent-job.ts'
import type { Caller } from '../tenancy/api-key.ts'
import type { Deps } from './deps.ts'

export async function getAgentJob(
  { params }: Input<'getAgentJob'>,
  { projects, agentJobs }: Pick<Deps, 'projects' | 'agentJobs'>,
  caller: Caller,
): Promise<Output<'getAgentJob'>> {
  const project = await projects.findOwned(caller.organizationId, params.projectId)
  if (!project) {
    return {
      status: 404,
      body: { error: 'Invalid project id: this organization has no project with the id in the path.' },
    }
  }
  const job = await agentJobs.find(project.id, params.id)
  if (!job) return { status: 404, body: { error: 'This project has no agent job with the id in the path.' } }
  return { status: 200, body: toBody(job) }
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
