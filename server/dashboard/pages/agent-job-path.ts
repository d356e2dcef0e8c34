import type { AgentJob } from '../../agent/agent-job.ts'

/** The path of the page of a job, below that of the organization. */
export function agentJobPath({ projectId, id }: Pick<AgentJob, 'projectId' | 'id'>): string {
  return `/agent-jobs/${encodeURIComponent(projectId)}/${encodeURIComponent(id)}`
}
