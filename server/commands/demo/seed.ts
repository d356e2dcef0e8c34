import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type AgentJob, transition } from '../../agent/agent-job.ts'
import { type Day, toDay } from '../../analytics/day.ts'
import { importAccessLog } from '../../analytics/import/import-log.ts'
import { readAsset } from '../../assets.ts'
import { buildDocumentation, docsPath } from '../../docs/documentation.ts'
import { listPages } from '../../docs/sitemap.ts'
import { resolveFeatures } from '../../products/features.ts'
import { toCommandEvent } from '../../store/record-change.ts'
import { addOrganization, addProject, addSite } from '../../store/recorded-inserts.ts'
import type { Store } from '../../store/store.ts'
import { createId } from '../../tenancy/id.ts'
import type { Organization } from '../../tenancy/organization.ts'
import { newVisitorRules, type Project } from '../../tenancy/project.ts'
import { type DemoKeyOptions, openDemoKey } from './demo-key.ts'
import { generateDemoLog } from './demo-log.ts'

/** Ids and the key of the demo, for its example requests. */
export interface Demo {
  dataFolder: string
  organizationId: string
  projectId: string
  domain: string
  agentJobId: string
  key: string
}

const organizationName = 'Demo'
const domain = 'docs.example.com'
const completedJobId = 'aj_demo_completed'
/** The id in the examples of the documentation, so that they work on the demo. */
const firstExportId = 'se_0f3c9a1b2d4e5f60'
const hourMs = 60 * 60 * 1000
/** Enough to compare 30 days, or a month until its last day, with as many days before. */
const logDays = 65
const logLines = 20_000
/** The page that fails, counted from the most popular one. */
const failingRank = 4
/** The page that replaced another one so many days ago. */
const replacement = { rank: 2, daysAgo: 27 }

/** Creates the demo organization on the first call, and finds it again later. */
export async function seedDemo(store: Store, options: DemoKeyOptions): Promise<Demo> {
  const { dataFolder, now } = options
  const known = (await store.organizations.list()).find(organization => organization.name === organizationName)
  const organization = known ?? (await insertOrganization(store, now))
  const [project = await insertProject(store, organization, dataFolder, now)] = await store.projects.list(
    organization.id,
  )
  return {
    dataFolder: resolve(dataFolder),
    organizationId: organization.id,
    projectId: project.id,
    domain,
    agentJobId: completedJobId,
    key: await openDemoKey(store, organization.id, options),
  }
}

/** Sets the origin of the demo site to this server's documentation, starts its export, and returns the job id. */
export async function startDemoExport(store: Store, demo: Demo, serverUrl: string, now: number): Promise<string> {
  const origin = `${serverUrl}${docsPath}/`
  if (!(await store.sites.updateOrigin(domain, origin))) {
    const { organizationId, projectId } = demo
    const site = { domain, projectId, organizationId, origin, createdAt: now }
    await addSite(store, site, { removal: null, allowedOrigins: [] })
  }
  const jobId = (await store.exportJobs.find(firstExportId)) ? createId('se') : firstExportId
  const deployment = 'air-gapped'
  await store.exportJobs.start(
    {
      jobId,
      organizationId: demo.organizationId,
      request: {
        domain,
        version: null,
        paths: null,
        deployment,
        features: resolveFeatures(deployment, {}),
        offlineSearch: false,
        verify: null,
        format: 'zip',
      },
      status: 'queued',
      progress: 0,
      pageCount: 0,
      error: null,
      createdAt: now,
      updatedAt: now,
      bundle: null,
    },
    undefined,
    0,
    undefined,
    toCommandEvent({
      action: 'export.started',
      subject: jobId,
      organizationId: demo.organizationId,
      detail: domain,
    }),
  )
  return jobId
}

async function insertOrganization(store: Store, now: number): Promise<Organization> {
  const organization: Organization = { id: createId('org'), name: organizationName, plan: 'enterprise', createdAt: now }
  await addOrganization(store, organization)
  return organization
}

async function insertProject(
  store: Store,
  organization: Organization,
  dataFolder: string,
  now: number,
): Promise<Project> {
  const project: Project = {
    id: createId('prj'),
    organizationId: organization.id,
    name: 'Documentation',
    visitorSaltRotation: 'never',
    visitorRules: newVisitorRules,
    createdAt: now,
  }
  await addProject(store, project)
  await store.agentJobs.insertAll(agentJobs(project.id, now))
  await importSampleLog(store, project, dataFolder, now)
  return project
}

/** Creates a job in every status. */
function agentJobs(projectId: string, now: number): AgentJob[] {
  const active = (name: string, hoursAgo: number): AgentJob => ({
    projectId,
    id: `aj_demo_${name}`,
    status: 'active',
    source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
    model: 'writer-2',
    prLink: null,
    createdAt: now - hoursAgo * hourMs,
    archivedAt: null,
  })
  const completed = transition(active('completed', 5), 'completed', now, 'https://git.example.com/acme/docs/pull/7')
  const failed = transition(active('failed', 26), 'failed', now)
  const archived = transition(transition(active('archived', 24 * 40), 'completed', now), 'archived', now)
  return [active('active', 1), completed, failed, archived]
}

async function importSampleLog(store: Store, project: Project, dataFolder: string, now: number): Promise<void> {
  const today = toDay(now)
  const paths = samplePaths()
  const file = join(dataFolder, 'demo-access.log')
  const lines = generateDemoLog({
    seed: 1,
    lines: logLines,
    from: today - logDays,
    to: today + 1,
    paths,
    story: {
      untilMs: now,
      releaseDay: findReleaseDay(today),
      failing: paths[failingRank] ?? '/',
      removed: '/docs/getting-started',
      replacement: { path: paths[replacement.rank] ?? '/', since: today - replacement.daysAgo },
    },
  })
  await pipeline(
    Readable.from(lines).map((line: string) => `${line}\n`),
    createWriteStream(file, { mode: 0o600 }),
  )
  await importAccessLog({ file, project, visits: store.visits })
}

/** A working day of the last week, because nobody releases on a weekend. 1970-01-01 was a Thursday. */
function findReleaseDay(today: Day): Day {
  const weekday = today % 7
  return today - 4 - (weekday === 0 ? 2 : weekday === 6 ? 1 : 0)
}

/** The paths of this documentation, for the sample log. */
function samplePaths(): string[] {
  const document = JSON.parse(readAsset('generated/openapi.json'))
  const extensions = JSON.parse(readAsset('generated/extensions/openapi.json'))
  const { files } = buildDocumentation({ readText: readAsset, document, extensions })
  return listPages(files)
}
