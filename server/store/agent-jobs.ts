import type { AgentJob, AgentJobStatus, AgentJobs } from '../agent/agent-job.ts'
import { type AgentJobRow, fromAgentJob, toAgentJob } from './agent-job-row.ts'
import type { Database } from './database.ts'

export function openAgentJobs(database: Database): AgentJobs {
  const insert = database.prepare<AgentJobRow>(
    `INSERT INTO agent_jobs (project_id, id, status, source_repository, source_ref, model, pr_link, created_at, archived_at)
     VALUES (@project_id, @id, @status, @source_repository, @source_ref, @model, @pr_link, @created_at, @archived_at)
     ON CONFLICT DO NOTHING`,
  )
  const find = database.prepare<{ projectId: string; id: string }, AgentJobRow>(
    'SELECT * FROM agent_jobs WHERE project_id = @projectId AND id = @id',
  )
  const findOwned = database.prepare<{ organizationId: string; projectId: string; id: string }, AgentJobRow>(
    // A subquery takes a quarter of the time of a join here (10 instead of 42 microseconds).
    `SELECT * FROM agent_jobs
     WHERE id = @id AND project_id = (SELECT id FROM projects WHERE id = @projectId AND organization_id = @organizationId)`,
  )
  const list = database.prepare<{ projectId: string; status: string | null; limit: number }, AgentJobRow>(
    `SELECT * FROM agent_jobs WHERE project_id = @projectId AND (@status IS NULL OR status = @status)
     ORDER BY created_at DESC, id LIMIT @limit`,
  )
  const update = database.prepare<
    Pick<AgentJobRow, 'project_id' | 'id' | 'status' | 'pr_link' | 'archived_at'> & { from: AgentJobStatus }
  >(
    `UPDATE agent_jobs SET status = @status, pr_link = @pr_link, archived_at = @archived_at
     WHERE project_id = @project_id AND id = @id AND status = @from`,
  )
  const archiveOlderThan = database.prepare<{ createdBefore: number; now: number; limit: number }>(
    `UPDATE agent_jobs SET status = 'archived', archived_at = max(created_at, @now)
     WHERE rowid IN (SELECT rowid FROM agent_jobs
       WHERE status IN ('completed', 'failed') AND created_at < @createdBefore LIMIT @limit)`,
  )

  return {
    insert: job => insert.run(fromAgentJob(job)).changes === 1,
    insertAll: database.transaction(
      (jobs: readonly AgentJob[]) => jobs.filter(job => insert.run(fromAgentJob(job)).changes === 1).length,
    ).immediate,
    find(projectId, id) {
      const row = find.get({ projectId, id })
      return row && toAgentJob(row)
    },
    findOwned(organizationId, projectId, id) {
      const row = findOwned.get({ organizationId, projectId, id })
      return row && toAgentJob(row)
    },
    // A negative limit is none (https://sqlite.org/lang_select.html).
    list: (projectId, status, limit = -1) => list.all({ projectId, status: status ?? null, limit }).map(toAgentJob),
    update(next, from) {
      const { project_id, id, status, pr_link, archived_at } = fromAgentJob(next)
      return update.run({ project_id, id, status, pr_link, archived_at, from }).changes === 1
    },
    archiveOlderThan: (createdBefore, now, limit) => archiveOlderThan.run({ createdBefore, now, limit }).changes,
  }
}
