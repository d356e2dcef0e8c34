import type { SpentLimit } from '../../agent/agent-run.ts'
import type { AgentOffer } from '../../agent/run/plan-run.ts'
import type { Project } from '../../tenancy/project.ts'
import { takeRequest } from '../../tenancy/rate-limit.ts'
import type { ExtensionDeps } from './deps.ts'

export const noAgentRunner = {
  error:
    'No agents run on this server. Run the agent in your CI, and report its job with reportAgentJob or quire-report.',
  code: 'no_agent_runner',
} as const

interface Limited {
  status: 429
  headers: { 'Retry-After': string }
  body: { error: string; code: 'agent_limit' | 'rate_limited' }
}

/** Counts an instruction of a project. Returns the answer if there were too many in the last hour. */
export async function spendInstruction(
  { rateLimits, now }: Pick<ExtensionDeps, 'rateLimits' | 'now'>,
  { id, organizationId }: Pick<Project, 'id' | 'organizationId'>,
  { perHour }: AgentOffer,
): Promise<Limited | undefined> {
  const budget = { budget: `agents ${id}`, quota: perHour, windowSeconds: 3600 }
  const { allowed, headers } = await takeRequest(rateLimits, organizationId, budget, now)
  if (allowed) return undefined
  const seconds = headers['Retry-After'] as string
  const error = `The project has had its ${perHour} instructions of the last hour. Try again after ${seconds} seconds.`
  return { status: 429, headers: { 'Retry-After': seconds }, body: { error, code: 'rate_limited' } }
}

/** Nobody knows when a job ends, or when a person archives one. */
const retryAfterSeconds = { active: '60', openPullRequests: '3600' }

/** Answers that a limit of the project is reached. */
export function answerLimit(limit: SpentLimit, { limits }: AgentOffer): Limited {
  const most = limits[limit]
  const error = {
    active: `The project has ${most} agent jobs that are queued or running, which is the limit. Try again when one has ended.`,
    openPullRequests: `The project has ${most} completed jobs with a pull request, which is the limit. Archive those whose pull request is merged or closed.`,
  }[limit]
  return { status: 429, headers: { 'Retry-After': retryAfterSeconds[limit] }, body: { error, code: 'agent_limit' } }
}
