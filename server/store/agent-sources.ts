import type { AgentSources, Forge } from '../agent/agent-source.ts'
import { get, run, sql, type Works } from './noun.ts'

/** A row of the table `agent_sources`. */
interface AgentSourceRow {
  project_id: string
  url: string
  page: string
  branch: string
  folders: string
  forge: Forge
  is_draft: number
}

const columns = 'project_id, url, page, branch, folders, forge, is_draft'

const find = sql<{ projectId: string }, AgentSourceRow>(
  `SELECT ${columns} FROM agent_sources WHERE project_id = @projectId`,
)
const put = sql<AgentSourceRow & { credential: Uint8Array | null; keeps: number }>(
  `INSERT INTO agent_sources (${columns}, credential)
   VALUES (@project_id, @url, @page, @branch, @folders, @forge, @is_draft, @credential)
   ON CONFLICT (project_id) DO UPDATE SET url = excluded.url, page = excluded.page, branch = excluded.branch,
     folders = excluded.folders, forge = excluded.forge, is_draft = excluded.is_draft,
     credential = CASE WHEN CAST(@keeps AS integer) = 1 THEN agent_sources.credential ELSE excluded.credential END`,
  { isRepeatable: true },
)
const findCredential = sql<{ projectId: string }, { credential: Uint8Array | null }>(
  'SELECT credential FROM agent_sources WHERE project_id = @projectId',
)
const remove = sql<{ projectId: string }>('DELETE FROM agent_sources WHERE project_id = @projectId')

export const agentSources: Works<AgentSources> = {
  *find(projectId) {
    const row = yield* get(find, { projectId })
    if (!row) return undefined
    const { url, page, branch, folders, forge } = row
    const isDraft = row.is_draft === 1
    return { projectId, url, page, branch, folders: folders === '' ? [] : folders.split('\n'), forge, isDraft }
  },
  *put(...[source, credential]: Parameters<AgentSources['put']>) {
    const { projectId, url, page, branch, folders, forge, isDraft } = source
    yield* run(put, {
      ...{ project_id: projectId, url, page, branch, folders: folders.join('\n'), forge, is_draft: +isDraft },
      ...{ credential: credential ?? null, keeps: +(credential === undefined) },
    })
  },
  *findCredential(projectId) {
    return (yield* get(findCredential, { projectId }))?.credential ?? null
  },
  *delete(projectId) {
    return (yield* run(remove, { projectId })) === 1
  },
}
