import type { Awaitable } from '../base/awaitable.ts'
import { OperatorError } from '../base/operator-error.ts'

export type AgentJobStatus = 'active' | 'completed' | 'archived' | 'failed'

/** One run of an automated writing agent on a repository. */
export interface AgentJob {
  projectId: string
  id: string
  status: AgentJobStatus
  source: { repository: string; ref: string | null }
  model: string
  /** Null while the job is active, and if no file changed. */
  prLink: string | null
  createdAt: number
  /** Set only on archived jobs. */
  archivedAt: number | null
  /** When it last changed, as its reporter says; undefined = when it was created. */
  changedAt?: number
}

/** Where the next page of a list begins: after this row. */
export interface AfterJob {
  createdAt: number
  id: string
}

export interface AgentJobs {
  /** Returns false if the project already has a job with this id. */
  insert(job: AgentJob): Awaitable<boolean>
  /** Inserts all jobs, or none if an error occurs. Existing jobs stay unchanged. Returns the number of inserted jobs. */
  insertAll(jobs: readonly AgentJob[]): Awaitable<number>
  /** Finds a job of a project, if the project belongs to the organization. One look-up, because clients poll jobs. */
  findOwned(organizationId: string, projectId: string, id: string): Awaitable<AgentJob | undefined>
  find(projectId: string, id: string): Awaitable<AgentJob | undefined>
  /** Returns the jobs, newest first, at most `limit` (default: all). */
  list(projectId: string, status?: AgentJobStatus, limit?: number): Awaitable<AgentJob[]>
  /** Returns at most `limit` jobs after a row of the list. */
  listPage(
    projectId: string,
    page: { status?: AgentJobStatus | undefined; after?: AfterJob | undefined; limit: number },
  ): Awaitable<AgentJob[]>
  /** Writes `next` if the job still has the status `from`. Returns false if the status has changed. */
  update(next: AgentJob, from: AgentJobStatus): Awaitable<boolean>
  /** Archives at most `limit` completed and failed jobs created before `createdBefore`. Returns the number of archived jobs. */
  archiveOlderThan(createdBefore: number, now: number, limit: number): Awaitable<number>
}

/** The allowed transitions. Every status change is checked against this table. */
const transitions: Record<AgentJobStatus, readonly AgentJobStatus[]> = {
  active: ['completed', 'failed'],
  completed: ['archived'],
  failed: ['archived'],
  archived: [],
}

/**
 * Returns the job in its next status. `prLink` is used only for completed: null = no file changed.
 *
 * @throws {OperatorError} if the table does not allow the transition.
 */
export function transition(job: AgentJob, to: AgentJobStatus, now: number, prLink: string | null = null): AgentJob {
  if (!transitions[job.status].includes(to)) {
    const legal = transitions[job.status].join(' or ')
    const hint = legal === '' ? 'Its status can no longer change.' : `It can only become ${legal}.`
    throw new OperatorError(`Job ${job.id} is ${job.status} and cannot become ${to}. ${hint}`)
  }
  return {
    ...job,
    status: to,
    prLink: to === 'completed' ? prLink : job.prLink,
    // The clock may have been set back since the job was created.
    archivedAt: to === 'archived' ? Math.max(job.createdAt, now) : null,
    changedAt: now,
  }
}

/** What a system that runs agents says of a job. */
export interface AgentReport {
  status: 'active' | 'completed' | 'failed'
  /** Null = no file changed, or not known yet. */
  prLink: string | null
  occurredAt: number
}

/**
 * Returns the job after a report. 'unchanged' = it says nothing new, or is older than the last change; 'conflict' = it contradicts how
 * the job ended.
 */
export function applyReport(
  job: AgentJob,
  { status, prLink, occurredAt }: AgentReport,
): AgentJob | 'unchanged' | 'conflict' {
  const isOld = occurredAt < (job.changedAt ?? job.createdAt)
  // `active` is what the job was before it ended. Archived jobs are no longer reported.
  if (isOld || status === 'active' || job.status === 'archived') return 'unchanged'
  if (job.status === 'active') return transition(job, status, occurredAt, prLink)
  if (job.status !== status) return 'conflict'
  if (prLink === null || prLink === job.prLink) return 'unchanged'
  return job.prLink === null && status === 'completed' ? { ...job, prLink, changedAt: occurredAt } : 'conflict'
}
