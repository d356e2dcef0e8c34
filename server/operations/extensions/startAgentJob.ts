import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { unknownProject } from '../unknown.ts'
import type { ExtensionDeps } from './deps.ts'
import { findProject } from './find-project.ts'

const noAgentRunner = {
  error:
    'No agents run on this server. Run the agent in your CI, and report its job with reportAgentJob or quire-report.',
  code: 'no_agent_runner',
} as const

/** Says that no agents run here. Serves all operations that start an agent or speak to one. */
export async function startAgentJob(
  { params }: Pick<Input<'startAgentJob'>, 'params'>,
  deps: Pick<ExtensionDeps, 'projects'>,
  client: Client,
): Promise<Output<'startAgentJob'>> {
  const project = await findProject(deps, client, params.projectId)
  return project ? { status: 501, body: noAgentRunner } : { status: 404, body: unknownProject }
}
