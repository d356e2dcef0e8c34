import type { AgentJob, AgentJobs } from '../../../server/agent/agent-job.ts'

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

/**
 * Keeps the agent jobs of a project in memory. A job begins with the first request for it, and moves by itself: active,
 * then completed or failed, then archived.
 */
export function createAgentJobMemory(projectId: string, now: () => number): Pick<AgentJobs, 'find'> {
  const begins = new Map<string, number>()
  return {
    find(project, id) {
      const script = scripts.find(known => known.id === id)
      if (!script || project !== projectId) return undefined
      const createdAt = begins.get(id) ?? now()
      begins.set(id, createdAt)
      return play(script, { projectId, createdAt, now: now() })
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
