import type { AgentJob, AgentJobStatus } from '../agent/agent-job.ts'

/** A row of the table `agent_jobs`. */
export interface AgentJobRow {
  project_id: string
  id: string
  status: AgentJobStatus
  source_repository: string
  source_ref: string | null
  model: string
  pr_link: string | null
  created_at: number
  archived_at: number | null
}

export function fromAgentJob(job: AgentJob): AgentJobRow {
  return {
    project_id: job.projectId,
    id: job.id,
    status: job.status,
    source_repository: job.source.repository,
    source_ref: job.source.ref,
    model: job.model,
    pr_link: job.prLink,
    created_at: job.createdAt,
    archived_at: job.archivedAt,
  }
}

export function toAgentJob(row: AgentJobRow): AgentJob {
  return {
    projectId: row.project_id,
    id: row.id,
    status: row.status,
    source: { repository: row.source_repository, ref: row.source_ref },
    model: row.model,
    prLink: row.pr_link,
    createdAt: row.created_at,
    archivedAt: row.archived_at,
  }
}
