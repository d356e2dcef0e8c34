import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { InstructionError, planRun } from '../../agent/run/plan-run.ts'
import type { Client } from '../client.ts'
import { toAgentJobBody } from '../getAgentJob.ts'
import { unknownProject } from '../unknown.ts'
import { type ExtensionDeps, recordByClient } from './deps.ts'
import { findProject } from './find-project.ts'
import { answerLimit, noAgentRunner, spendInstruction } from './instruction-limits.ts'

const noAgentSource = {
  error: 'The project has no repository for agents. An administrator sets it with: npx quire agent-jobs repository set',
  code: 'no_agent_source',
} as const

/** Serves the present and the earlier path of such platforms. */
export async function startAgentJob(
  { params, body }: Input<'startAgentJob'>,
  deps: Pick<
    ExtensionDeps,
    'projects' | 'agents' | 'agentSources' | 'rateLimits' | 'createAgentJobId' | 'atomically' | 'wakeAgents' | 'now'
  >,
  client: Client,
): Promise<Output<'startAgentJob'>> {
  const project = await findProject(deps, client, params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  const { agents } = deps
  if (!agents) return { status: 501, body: noAgentRunner }
  const source = await deps.agentSources.find(project.id)
  if (!source) return { status: 409, body: noAgentSource }
  const plan = tryPlan(() => planRun(source, body, { ...agents, id: deps.createAgentJobId(), now: deps.now() }))
  if (plan instanceof InstructionError) {
    const { message, field } = plan
    const details = [{ message, field, code: 'wrong_format' as const }]
    return { status: 400, body: { error: message, details, code: 'invalid_request' } }
  }
  const { job, run } = plan
  const spent = await spendInstruction(deps, project, agents)
  if (spent) return spent
  const event = { action: 'agent-job.started', subject: job.id, detail: project.id } as const
  const limit = await recordByClient(deps, client, event, {
    change: ({ agentRuns }) => agentRuns.start(job, run, agents.limits),
    isChange: refused => refused === undefined,
  })
  if (limit) return answerLimit(limit, agents)
  deps.wakeAgents()
  return { status: 202, body: toAgentJobBody(job) }
}

function tryPlan<Plan>(plan: () => Plan): Plan | InstructionError {
  try {
    return plan()
  } catch (error) {
    if (error instanceof InstructionError) return error
    throw error
  }
}
