import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { findRun, type RunDeps } from './getAgentRun.ts'

export async function getAgentChange(
  { params }: Input<'getAgentChange'>,
  deps: RunDeps,
  client: Client,
): Promise<Output<'getAgentChange'>> {
  const run = await findRun(deps, client, params)
  if ('status' in run) return run
  const change = await deps.agentRuns.findChange(run.projectId, run.jobId)
  const { files, diff, isDiffCut } = change ?? { files: [], diff: '', isDiffCut: false }
  return { status: 200, body: { files: [...files], diff, truncated: isDiffCut } }
}
