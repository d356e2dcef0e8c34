import type { AgentEvent, NewAgentEvent } from '../../../server/agent/agent-event.ts'
import type { AgentJob } from '../../../server/agent/agent-job.ts'
import type { AgentJobLimits, AgentRun, NewAgentRun, RunChange, SpentLimit } from '../../../server/agent/agent-run.ts'
import { createStreamLimit } from '../../../server/tenancy/stream-limit.ts'
import type { AgentJobMemory } from './agent-jobs.ts'
import type { ChangedNouns } from './extensions.ts'

/** How long a job waits for an agent, and when the agent has done each of its steps. */
const startsAfterMs = 1000
const stepMs = 2000

const steps: readonly NewAgentEvent[] = [
  { kind: 'state', text: 'An agent has begun.' },
  { kind: 'message', text: 'I will look for the page.' },
  { kind: 'tool', text: 'Read docs/install.md', outcome: 'completed' },
  { kind: 'tool', text: 'Edit docs/install.md', outcome: 'completed' },
]
const end: NewAgentEvent = { kind: 'end', text: 'Changed 1 file.', outcome: 'changed' }

const change: RunChange = {
  files: [{ path: 'docs/install.md', status: 'changed', added: 1, removed: 1 }],
  diff: '--- a/docs/install.md\n+++ b/docs/install.md\n@@ -1 +1 @@\n-Instal it.\n+Install it.\n',
  isDiffCut: false,
}

const noUsage = { modelCalls: 0, inputTokens: null, outputTokens: null, cost: null }
const usage = { modelCalls: 4, inputTokens: 52_000, outputTokens: 1800, cost: null }

interface Turn extends NewAgentRun {
  projectId: string
  jobId: string
  turn: number
  queuedAt: number
  /** Events of the turns before. */
  before: readonly AgentEvent[]
  cancelledAt: number | null
}

/** Keeps the runs of agents in memory. They move by themselves: an agent begins after a second, and ends after some steps. */
export class AgentRunMemory {
  readonly #turns = new Map<string, Turn>()
  readonly #agentJobs: AgentJobMemory
  readonly #now: () => number

  constructor(agentJobs: AgentJobMemory, now: () => number) {
    this.#agentJobs = agentJobs
    this.#now = now
  }

  /** What transactions change. */
  get changes(): Pick<ChangedNouns['agentRuns'], 'start' | 'instruct' | 'cancel'> {
    return {
      start: (...given) => this.start(...given),
      instruct: (...given) => this.instruct(...given),
      cancel: (projectId, jobId) => this.cancel(projectId, jobId),
    }
  }

  /** Finds a run, and ends its job if it has ended. */
  find(projectId: string, jobId: string): AgentRun | undefined {
    const run = this.#read(projectId, jobId)
    const job = this.#agentJobs.find(projectId, jobId)
    if (run?.state !== 'ended' || job?.status !== 'active') return run
    const prLink = run.end === 'changed' ? 'https://github.com/acme/docs/pull/483' : null
    this.#agentJobs.update({ ...job, status: prLink ? 'completed' : 'failed', prLink }, 'active')
    return run
  }

  /** Ends the jobs whose runs have ended. */
  settle(): void {
    for (const { projectId, jobId } of this.#turns.values()) this.find(projectId, jobId)
  }

  findChange(projectId: string, jobId: string): RunChange | undefined {
    return this.find(projectId, jobId)?.end === 'changed' ? change : undefined
  }

  listEvents(projectId: string, jobId: string, after: number, limit: number): AgentEvent[] {
    const turn = this.#turns.get(keyOf(projectId, jobId))
    const events = turn ? listEvents(turn, this.#now()) : []
    return events.filter(({ sequence }) => sequence > after).slice(0, limit)
  }

  start(job: AgentJob, run: NewAgentRun, limits: AgentJobLimits): SpentLimit | undefined {
    this.settle()
    const { projectId, id: jobId } = job
    const all = [...this.#turns.values()]
    if (all.filter(each => this.find(each.projectId, each.jobId)?.state !== 'ended').length >= limits.active)
      return 'active'
    this.#agentJobs.insert(job)
    const first = { turn: 1, queuedAt: this.#now(), before: [], cancelledAt: null }
    this.#turns.set(keyOf(projectId, jobId), { ...run, projectId, jobId, ...first })
    return undefined
  }

  instruct({ projectId, id }: Pick<AgentJob, 'projectId' | 'id'>, { prompt }: { prompt: string }) {
    const turn = this.#turns.get(keyOf(projectId, id))
    const run = this.find(projectId, id)
    const job = this.#agentJobs.find(projectId, id)
    if (!turn || !run || !job) return 'notRun'
    if (run.state !== 'ended') return 'isActive'
    if (job.status === 'archived') return 'isArchived'
    const now = this.#now()
    const next = { turn: turn.turn + 1, queuedAt: now, before: listEvents(turn, now), cancelledAt: null }
    this.#turns.set(keyOf(projectId, id), { ...turn, prompt, ...next })
    this.#agentJobs.update({ ...job, status: 'active', prLink: null }, job.status)
    return undefined
  }

  cancel(projectId: string, jobId: string): boolean {
    const turn = this.#turns.get(keyOf(projectId, jobId))
    if (!turn || this.find(projectId, jobId)?.state === 'ended') return false
    this.#turns.set(keyOf(projectId, jobId), { ...turn, cancelledAt: this.#now() })
    this.find(projectId, jobId)
    return true
  }

  #read(projectId: string, jobId: string): AgentRun | undefined {
    const turn = this.#turns.get(keyOf(projectId, jobId))
    if (!turn) return undefined
    const events = listEvents(turn, this.#now())
    const last = events.at(-1) as AgentEvent
    const hasEnded = last.kind === 'end'
    const isChanged = last.outcome === 'changed'
    const hasStarted = events.length > turn.before.length + (hasEnded ? 2 : 1)
    const { prompt, branch, folder, isDraft, queuedAt, cancelledAt } = turn
    return {
      ...{ projectId, jobId, prompt, branch, folder, isDraft, queuedAt, turn: turn.turn },
      ...{ events: events.length, expiredEvents: 0 },
      state: hasEnded ? 'ended' : hasStarted ? 'running' : 'queued',
      changeBranch: isChanged ? `quire/${jobId}` : null,
      commit: isChanged ? '5d1e0c3f8a7b6d5c4e3f2a1b0c9d8e7f6a5b4c3d' : null,
      end: hasEnded ? (isChanged ? 'changed' : 'cancelled') : null,
      explanation: hasEnded ? last.text : null,
      ...(isChanged ? { files: 1, added: 1, removed: 1, usage } : { files: 0, added: 0, removed: 0, usage: noUsage }),
      isCancelling: cancelledAt !== null,
      startedAt: hasStarted ? queuedAt + startsAfterMs : null,
      endedAt: hasEnded ? last.at : null,
    }
  }
}

function keyOf(projectId: string, jobId: string): string {
  return `${projectId} ${jobId}`
}

/** Lists the events of a run until now. */
function listEvents({ queuedAt, prompt, cancelledAt, before }: Turn, now: number): AgentEvent[] {
  const startedAt = queuedAt + startsAfterMs
  const planned: (NewAgentEvent & { at: number })[] = [
    { at: queuedAt, kind: 'prompt', text: prompt },
    ...steps.map((step, index) => ({ at: startedAt + index * stepMs, ...step })),
    { at: startedAt + steps.length * stepMs, ...end },
  ]
  const happened = planned.filter(({ at }) => at <= (cancelledAt ?? now))
  if (cancelledAt !== null)
    happened.push({ at: cancelledAt, kind: 'end', text: 'The job was cancelled.', outcome: 'cancelled' })
  return [...before, ...happened.map((event, index) => ({ ...event, sequence: before.length + index + 1 }))]
}

/** What the operations of agent jobs need, on a project whose repository is at a forge. */
export function createAgentDeps(
  agentJobs: AgentJobMemory,
  agentRuns: AgentRunMemory,
  { organizationId, createId }: { organizationId: string; createId(): string },
) {
  const repository = 'https://github.com/acme/docs'
  const source = {
    url: repository,
    page: repository,
    branch: 'main',
    folders: ['docs'],
    forge: 'github',
    isDraft: true,
  } as const
  return {
    streamLimit: createStreamLimit(Date.now),
    agentJobs: {
      ...agentJobs,
      find(projectId: string, id: string) {
        agentRuns.find(projectId, id)
        return agentJobs.find(projectId, id)
      },
      listPage(...given: Parameters<AgentJobMemory['listPage']>) {
        agentRuns.settle()
        return agentJobs.listPage(...given)
      },
      findOwned(organization: string, projectId: string, id: string) {
        agentRuns.find(projectId, id)
        return organization === organizationId ? agentJobs.find(projectId, id) : undefined
      },
    },
    agentRuns,
    agentSources: { find: (projectId: string) => ({ projectId, ...source }) },
    agents: { model: 'writer-2', limits: { active: 10, openPullRequests: 20 }, perHour: 30 },
    createAgentJobId: createId,
    wakeAgents: () => undefined,
  }
}
