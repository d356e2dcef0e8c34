// The baseline: node:http, the hash of the key, the three look-ups and the body, without validation and logging.
import type { AgentJob } from '../../../server/agent/agent-job.ts'
import { openStore } from '../../../server/store/store.ts'
import { type Caller, hashKey } from '../../../server/tenancy/api-key.ts'
import type { Project } from '../../../server/tenancy/project.ts'
import { serve, setting } from './child.ts'

const { apiKeys, projects, agentJobs } = openStore(setting('BENCH_DATA'))

await serve((req, res) => {
  const [, , , projectId = '', , id = ''] = (req.url ?? '').split('/')
  const job = findJob((req.headers.authorization ?? '').slice('Bearer '.length), projectId, id)
  if (!job) {
    res.writeHead(404).end()
    return
  }
  const body = JSON.stringify({
    id: job.id,
    status: job.status,
    source: job.source,
    model: job.model,
    prLink: job.prLink,
    createdAt: new Date(job.createdAt).toISOString(),
    archivedAt: job.archivedAt === null ? null : new Date(job.archivedAt).toISOString(),
  })
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
})

/** SQLite is synchronous: awaiting it, as handlers do, would slow the baseline down. */
function findJob(key: string, projectId: string, id: string): AgentJob | undefined {
  const caller = apiKeys.authenticate(hashKey(key), Date.now()) as Caller | undefined
  const project = caller && (projects.findOwned(caller.organizationId, projectId) as Project | undefined)
  return project && (agentJobs.find(project.id, id) as AgentJob | undefined)
}
