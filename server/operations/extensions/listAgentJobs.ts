import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { toAgentJobBody } from '../getAgentJob.ts'
import { unknownProject } from '../unknown.ts'
import { readCursor, toPage, wrongCursor } from './cursor.ts'
import type { ExtensionDeps } from './deps.ts'
import { findProject } from './find-project.ts'

export async function listAgentJobs(
  { params, query }: Input<'listAgentJobs'>,
  deps: Pick<ExtensionDeps, 'projects' | 'agentJobs'>,
  client: Client,
): Promise<Output<'listAgentJobs'>> {
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
  if (query.cursor !== undefined && !after) return { status: 400, body: wrongCursor }
  const project = await findProject(deps, client, params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  const { status, limit } = query
  const found = await deps.agentJobs.listPage(project.id, { status, after, limit: limit + 1 })
  const { rows, nextCursor } = toPage(found, limit, ({ createdAt, id }) => ({ createdAt, id }))
  return { status: 200, body: { jobs: rows.map(toAgentJobBody), nextCursor } }
}
