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
  /** Null while active, and when no file changed. */
  prLink: string | null
  createdAt: number
  /** Set when and only when archived. */
  archivedAt: number | null
}

export interface AgentJobs {
  /** False when the project has a job of this id already. */
  insert(job: AgentJob): Awaitable<boolean>
  /** Inserts all or, on a fault, none; jobs that are there already stay as they are. The number of those inserted. */
  insertAll(jobs: readonly AgentJob[]): Awaitable<number>
  find(projectId: string, id: string): Awaitable<AgentJob | undefined>
  /** Newest first. */
  list(projectId: string, status?: AgentJobStatus): Awaitable<AgentJob[]>
  /** Writes `next` if the job still has the status `from`; false when it has changed in between. */
  update(next: AgentJob, from: AgentJobStatus): Awaitable<boolean>
  /** Archives the completed and failed jobs created before `createdBefore`; the number of them. */
  archiveOlderThan(createdBefore: number, now: number): Awaitable<number>
}

/** The only legal transitions; whatever changes a job goes through this table. */
const transitions: Record<AgentJobStatus, readonly AgentJobStatus[]> = {
  active: ['completed', 'failed'],
  completed: ['archived'],
  failed: ['archived'],
  archived: [],
}

/**
 * The job in its next status. `prLink` belongs to the step to completed only: null there means that no file changed.
 *
 * @throws {OperatorError} when the table has no such step.
 */
export function transition(job: AgentJob, to: AgentJobStatus, now: number, prLink: string | null = null): AgentJob {
  if (!transitions[job.status].includes(to)) {
    const legal = transitions[job.status].join(' or ') || 'nothing else'
    throw new OperatorError(`Job ${job.id} is ${job.status}; from there it can become ${legal}, not ${to}.`)
  }
  return {
    ...job,
    status: to,
    prLink: to === 'completed' ? prLink : job.prLink,
    archivedAt: to === 'archived' ? now : null,
  }
}
