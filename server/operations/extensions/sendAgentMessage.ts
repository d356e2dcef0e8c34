import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { toAgentJobBody } from '../getAgentJob.ts'
import { unknownAgentJob, unknownProject } from '../unknown.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { findProject } from './find-project.ts'
import { answerLimit, noAgentRunner, spendInstruction } from './instruction-limits.ts'

const whyNot = {
  isActive: 'The job is active. Send the message when it has ended, or cancel it.',
  isArchived: 'The job is archived. Start another job.',
  notRun: 'Quire did not run this job, so no agent can go on with it. Start another job.',
}

export async function sendAgentMessage(
  { params, body: { prompt } }: Input<'sendAgentMessage'>,
  deps: Pick<ExtensionDeps, 'projects' | 'agents' | 'agentJobs' | 'rateLimits' | 'atomically' | 'wakeAgents' | 'now'>,
  client: Client,
): Promise<Output<'sendAgentMessage'>> {
  const project = await findProject(deps, client, params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  const { agents } = deps
  if (!agents) return { status: 501, body: noAgentRunner }
  const job = await deps.agentJobs.find(project.id, params.id)
  if (!job) return { status: 404, body: unknownAgentJob }
  const spent = await spendInstruction(deps, project, agents)
  if (spent) return spent
  const event = { action: 'agent-job.instructed', subject: job.id, detail: project.id } as const
  const refused = await recordByClient(deps, client, event, {
    change: ({ agentRuns }) => agentRuns.instruct(job, { prompt, limits: agents.limits, now: deps.now() }),
    isChange: refused => refused === undefined,
  })
  if (refused === 'active' || refused === 'openPullRequests') return answerLimit(refused, agents)
  if (refused) return { status: 409, body: { error: whyNot[refused], code: 'illegal_transition' } }
  deps.wakeAgents()
  const now = await deps.agentJobs.find(project.id, job.id)
  return now ? { status: 202, body: toAgentJobBody(now) } : { status: 404, body: unknownAgentJob }
}
