import type { AgentJobStatus, AgentJobs } from '../../agent/agent-job.ts'
import { type AgentJobRow, fromAgentJob, toAgentJob } from '../agent-job-row.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

const columns = 'project_id, id, status, source_repository, source_ref, model, pr_link, created_at, archived_at'

const insert = statement<AgentJobRow>(
  `INSERT INTO agent_jobs (${columns})
   VALUES (@project_id, @id, @status, @source_repository, @source_ref, @model, @pr_link, @created_at, @archived_at)
   ON CONFLICT DO NOTHING`,
)
const insertAll = statement<{ rows: string }>(
  `INSERT INTO agent_jobs (${columns})
   SELECT ${columns} FROM json_populate_recordset(NULL::agent_jobs, @rows::json) ON CONFLICT DO NOTHING`,
)
const find = statement<{ projectId: string; id: string }, AgentJobRow>(
  'SELECT * FROM agent_jobs WHERE project_id = @projectId AND id = @id',
)
const findOwned = statement<{ organizationId: string; projectId: string; id: string }, AgentJobRow>(
  `SELECT agent_jobs.* FROM agent_jobs JOIN projects ON projects.id = project_id
   WHERE project_id = @projectId AND agent_jobs.id = @id AND organization_id = @organizationId`,
)
const list = statement<{ projectId: string; status: string | null; limit: number | null }, AgentJobRow>(
  `SELECT * FROM agent_jobs WHERE project_id = @projectId AND (@status::text IS NULL OR status = @status)
   ORDER BY created_at DESC, id LIMIT @limit`,
)
const update = statement<
  Pick<AgentJobRow, 'project_id' | 'id' | 'status' | 'pr_link' | 'archived_at'> & { from: AgentJobStatus }
>(
  `UPDATE agent_jobs SET status = @status, pr_link = @pr_link, archived_at = @archived_at
   WHERE project_id = @project_id AND id = @id AND status = @from`,
)
const archiveOlderThan = statement<{ createdBefore: number; now: number; limit: number }>(
  // Other nodes may archive at the same time: each takes other jobs.
  `UPDATE agent_jobs SET status = 'archived', archived_at = greatest(created_at, @now)
   WHERE (project_id, id) IN (SELECT project_id, id FROM agent_jobs
     WHERE status IN ('completed', 'failed') AND created_at < @createdBefore LIMIT @limit FOR UPDATE SKIP LOCKED)`,
)

export function openAgentJobs(database: Database): AgentJobs {
  return {
    insert: async job => (await database.run(insert, fromAgentJob(job))) === 1,
    insertAll: jobs => database.run(insertAll, { rows: JSON.stringify(jobs.map(fromAgentJob)) }),
    async find(projectId, id) {
      const row = await database.get(find, { projectId, id })
      return row && toAgentJob(row)
    },
    async findOwned(organizationId, projectId, id) {
      const row = await database.get(findOwned, { organizationId, projectId, id })
      return row && toAgentJob(row)
    },
    list: async (projectId, status, limit) =>
      (await database.all(list, { projectId, status: status ?? null, limit: limit ?? null })).map(toAgentJob),
    async update(next, from) {
      const { project_id, id, status, pr_link, archived_at } = fromAgentJob(next)
      return (await database.run(update, { project_id, id, status, pr_link, archived_at, from })) === 1
    },
    archiveOlderThan: (createdBefore, now, limit) => database.run(archiveOlderThan, { createdBefore, now, limit }),
  }
}
