import type { AgentJob } from '../../../server/agent/agent-job.ts'
import type { ExtensionDeps } from '../../../server/operations/extensions/deps.ts'
import { listAfter } from './list-page.ts'

/** How long a job is active, and how long it is completed or failed before it is archived. */
const activeSeconds = 10
const keptSeconds = 30

interface Script {
  id: string
  source: AgentJob['source']
  model: string
  outcome: 'completed' | 'failed'
  prLink: string | null
}

/** The agent jobs of the examples of the document. */
const scripts: readonly Script[] = [
  {
    id: 'aj_9c41d2e0b7a65f38',
    source: { repository: 'https://github.com/acme/docs', ref: 'main' },
    model: 'sonnet',
    outcome: 'completed',
    prLink: 'https://github.com/acme/docs/pull/482',
  },
  {
    id: 'aj_2f6b8d01c3e4a597',
    source: { repository: 'https://github.com/acme/handbook', ref: null },
    model: 'sonnet',
    outcome: 'completed',
    prLink: null,
  },
  {
    id: 'aj_d07e5a91b2c8463f',
    source: { repository: 'https://github.com/acme/docs', ref: 'feature/webhooks' },
    model: 'opus',
    outcome: 'failed',
    prLink: null,
  },
]

export const agentJobIds: readonly string[] = scripts.map(({ id }) => id)

/** The methods that handlers use. None of them waits. */
export interface AgentJobMemory {
  find(projectId: string, id: string): AgentJob | undefined
  insert(job: AgentJob): boolean
  listPage(...given: Parameters<ExtensionDeps['agentJobs']['listPage']>): AgentJob[]
  update(next: AgentJob, from: AgentJob['status']): boolean
}

/**
 * Keeps the agent jobs of a project in memory. Those of the examples begin with the first request for them, and move by themselves:
 * active, then completed or failed, then archived. A job that was reported or archived moves only by requests.
 */
export function createAgentJobMemory(projectId: string, now: () => number): AgentJobMemory {
  const begins = new Map<string, number>()
  const changed = new Map<string, AgentJob>()

  function find(project: string, id: string): AgentJob | undefined {
    if (project !== projectId) return undefined
    const script = scripts.find(known => known.id === id)
    if (changed.has(id) || !script) return changed.get(id)
    const createdAt = begins.get(id) ?? now()
    begins.set(id, createdAt)
    return play(script, { projectId, createdAt, now: now() })
  }

  return {
    find,
    insert(job) {
      if (find(job.projectId, job.id)) return false
      changed.set(job.id, job)
      return true
    },
    update(next, from) {
      if (find(next.projectId, next.id)?.status !== from) return false
      changed.set(next.id, next)
      return true
    },
    listPage(project, { status, ...page }) {
      const ids = new Set([...agentJobIds, ...changed.keys()])
      const jobs = [...ids].flatMap(id => find(project, id) ?? [])
      return listAfter(
        jobs.filter(job => status === undefined || job.status === status),
        ({ id }) => id,
        page,
      )
    },
  }
}

function play(
  { id, source, model, outcome, prLink }: Script,
  { projectId, createdAt, now }: { projectId: string; createdAt: number; now: number },
): AgentJob {
  const seconds = (now - createdAt) / 1000
  const isActive = seconds < activeSeconds
  const isArchived = seconds >= activeSeconds + keptSeconds
  return {
    projectId,
    id,
    status: isActive ? 'active' : isArchived ? 'archived' : outcome,
    source,
    model,
    prLink: isActive ? null : prLink,
    createdAt,
    archivedAt: isArchived ? createdAt + (activeSeconds + keptSeconds) * 1000 : null,
  }
}
