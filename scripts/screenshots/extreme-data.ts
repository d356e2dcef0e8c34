import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import { toDay } from '../../server/analytics/day.ts'
import { importAccessLog } from '../../server/analytics/import/import-log.ts'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { resolveFeatures } from '../../server/products/features.ts'
import type { Store } from '../../server/store/store.ts'
import type { ApiKey } from '../../server/tenancy/api-key.ts'
import { createId } from '../../server/tenancy/id.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import { newVisitorRules, type Project } from '../../server/tenancy/project.ts'

const rows = 300
const word = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetzenknopfloch'
const longName = (index: number) => `${word} and a name of several words, number ${index}`.slice(0, 100)
const longPath = (index: number) => `/guides/${word.toLowerCase()}/${'part-of-a-path/'.repeat(8)}page-${index}`
const states = ['active', 'completed', 'failed', 'archived'] as const

/** Adds an organization that has nothing, and one with long names, long addresses and hundreds of rows. */
export async function addExtremes(store: Store, dataFolder: string): Promise<{ empty: string; long: string }> {
  const now = Date.now()
  const [empty, long] = ['Empty', longName(0)].map(
    (name): Organization => ({ id: createId('org'), name, plan: 'enterprise', createdAt: now }),
  ) as [Organization, Organization]
  const projects = Array.from({ length: 60 }, (_, index) => createProject(long.id, index, now - 1000 + index))
  await store.atomically(function* (nouns) {
    yield* nouns.organizations.insert(empty)
    yield* nouns.organizations.insert(long)
    for (const project of projects) yield* nouns.projects.insert(project)
    for (let index = 0; index < rows; index++) {
      const common = { organizationId: long.id, name: longName(index), createdAt: now - index * 3_600_000 }
      const projectId = (projects[index % projects.length] as Project).id
      const domain = `${word.toLowerCase()}-${index}.documentation-of-a-large-department.example.com`.slice(-200)
      const origin = `http://10.0.0.5:8080${longPath(index)}/`
      yield* nouns.sites.insert({ domain, projectId, origin: index % 2 ? origin : null, createdAt: now })
      yield* nouns.people.insert({ id: createId('usr'), ...common })
      const key = createKey(common, index, now)
      yield* nouns.apiKeys.insert(key, createHash('sha256').update(key.id).digest())
      yield* nouns.auditLog.append({
        at: common.createdAt,
        organizationId: long.id,
        action: 'site.changed',
        subject: domain,
        detail: `fetched from ${origin}`,
        actor: `${common.name} (usr_0f3c9a1b2d4e5f60)`,
        address: '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
      })
    }
  })
  const [first] = projects as [Project]
  await store.agentJobs.insertAll(Array.from({ length: rows }, (_, index) => createJob(first.id, index, now)))
  for (let index = 0; index < 60; index++) await addExport(store, long.id, index, now)
  await addVisits(store, first, dataFolder)
  return { empty: empty.id, long: long.id }
}

function createProject(organizationId: string, index: number, createdAt: number): Project {
  const rules = { visitorSaltRotation: 'never', visitorRules: newVisitorRules } as const
  return { id: createId('prj'), organizationId, name: longName(index), ...rules, createdAt }
}

function createKey(common: Pick<ApiKey, 'organizationId' | 'name' | 'createdAt'>, index: number, now: number): ApiKey {
  return {
    id: createId('key'),
    ...common,
    scopes: index % 3 ? ['read', 'write'] : ['ingest'],
    last4: 'last',
    projectIds: index % 3 ? [] : ['prj_0f3c9a1b2d4e5f60', 'prj_0f3c9a1b2d4e5f61'],
    allowedAddresses: index % 3 ? [] : ['203.0.113.0/24', '2001:db8:85a3::/48'],
    expiresAt: index % 4 ? now + (index - 20) * 86_400_000 : null,
    revokedAt: index % 5 ? null : now,
    lastUsedAt: index % 2 ? now - index * 60_000 : null,
  }
}

function createJob(projectId: string, index: number, now: number): AgentJob {
  const status = states[index % states.length] as (typeof states)[number]
  return {
    projectId,
    id: `aj_${word.toLowerCase()}_${index}`,
    status,
    source: { repository: `https://git.example.com/acme${longPath(index)}`, ref: `feature/${word}` },
    model: `writer-2-with-a-long-name-of-a-variant-${index}`,
    prLink: status === 'completed' ? `https://git.example.com/acme${longPath(index)}/pull/${index}` : null,
    createdAt: now - index * 3_600_000,
    archivedAt: status === 'archived' ? now : null,
  }
}

/** Adds an export that was cancelled, so that no worker takes it. */
async function addExport(store: Store, organizationId: string, index: number, now: number): Promise<void> {
  const jobId = createId('se')
  const createdAt = now - index * 3_600_000
  await store.exportJobs.start(
    {
      jobId,
      organizationId,
      request: {
        domain: `${word.toLowerCase()}-${index}.documentation-of-a-large-department.example.com`,
        version: `Release ${index} of a long version label with many words in it`,
        paths: [longPath(index)],
        deployment: 'air-gapped',
        features: resolveFeatures('air-gapped', {}),
        offlineSearch: true,
        verify: null,
        format: 'zip',
      },
      status: 'queued',
      progress: 0,
      pageCount: 0,
      error: null,
      createdAt,
      updatedAt: createdAt,
      bundle: null,
    },
    undefined,
    0,
  )
  await store.exportJobs.cancel(jobId, `https://10.0.0.5${longPath(index)} answered 503. Check the address.`, now)
}

async function addVisits(store: Store, project: Project, dataFolder: string): Promise<void> {
  const today = toDay(Date.now())
  const paths = Array.from({ length: rows }, (_, index) => longPath(index))
  const lines = generateAccessLog({ seed: 2, lines: 8000, from: today - 80, to: today + 1, paths })
  const file = join(dataFolder, 'long-access.log')
  await writeFile(file, [...lines].join('\n'))
  await importAccessLog({ file, project, visits: store.visits })
}
