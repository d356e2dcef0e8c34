import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExportRequest } from '../../server/export/jobs/export-job.ts'
import type { Parts } from '../../server/serving/parts.ts'
import { startSchedules } from '../../server/serving/schedules.ts'
import { parseRhythm } from '../../server/tenancy/site-schedule.ts'
import { send } from '../support/client.ts'
import { queuedJob } from '../support/export-job.ts'
import { waitFor } from '../support/export-site.ts'
import { createApiKey, createConfig, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.dispose())

/** Lets the schedules of a server start what is due, and returns what came of the schedule of a site. */
async function startDue(domain: string, maxQueuedExports = 100) {
  const rhythm = parseRhythm('daily 03:00')
  await server.store.siteSchedules.put(domain, { rhythm, onlyIfChanged: false }, Date.now() - 1000)
  const ignore = () => {}
  const config = createConfig({ data: server.dataFolder, maxQueuedExports })
  const log = { info: ignore, warn: ignore, error: ignore }
  const schedules = startSchedules({ config, store: server.store, log } as unknown as Parts, ignore)
  const schedule = await waitFor(async () => {
    const found = await server.store.siteSchedules.find(domain)
    return found?.outcome && found.nextAt > Date.now() ? found : undefined
  })
  await schedules.stop()
  return schedule
}

async function addSite(domain: string, plan: 'enterprise' | 'standard' = 'enterprise') {
  const { organizationId, projectId } = await createOrganization(server.store, plan)
  // Nothing listens on this port.
  await server.store.sites.insert({ domain, projectId, origin: 'http://127.0.0.1:9/', createdAt: 0 })
  return organizationId
}

// First, because a job that waits would be claimed in its place.
test('the settings of the last completed export of the whole site are used again', async () => {
  const organizationId = await addSite('again.example.com')
  const { store } = server
  let jobs = 0
  const complete = async (request: Partial<ExportRequest>) => {
    jobs += 1
    const asked = { domain: 'again.example.com', ...request }
    const job = queuedJob({ jobId: `se_${jobs}`, organizationId, createdAt: jobs, request: asked })
    const claimed = await store.atomically(function* ({ exportJobs }) {
      yield* exportJobs.start(job, undefined, 0)
      return yield* exportJobs.claim('test', Date.now(), 60_000)
    })
    if (claimed?.job.jobId !== job.jobId) throw new Error('another job was claimed')
    const bundle = { fileName: `${job.jobId}-1.zip`, sizeBytes: 1, sha256: 'a'.repeat(64) }
    await store.exportJobs.complete(claimed.lease, bundle, 1, Date.now())
  }
  const features = { search: true, assistant: false, analytics: false, playground: true }
  await complete({ deployment: 'client-hosted', features, format: 'tar.gz', version: '1.0' })
  await complete({ paths: ['/one-page'] })
  const { jobId } = await startDue('again.example.com')
  expect((await server.store.exportJobs.find(jobId ?? ''))?.request).toMatchObject({
    deployment: 'client-hosted',
    features,
    format: 'tar.gz',
    version: null,
    paths: null,
  })
})

test('a job that a schedule started looks as one of the API, and is in the audit log', async () => {
  const organizationId = await addSite('usual.example.com')
  const { outcome, jobId } = await startDue('usual.example.com')
  expect(outcome?.kind).toBe('started')
  const { key } = await createApiKey(server.store, organizationId)
  const answer = await send(server.url, `/v1/static-export/jobs/${jobId}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(answer.json).toMatchObject({ jobId, progress: 0, pageCount: 0 })
  const job = await server.store.exportJobs.find(jobId ?? '')
  expect(job?.request).toMatchObject({ deployment: 'air-gapped', format: 'zip', paths: null, version: null })
  const [event] = await server.store.auditLog.list({ organizationId, limit: 1 })
  expect(event).toMatchObject({
    action: 'export.started',
    subject: jobId,
    detail: 'usual.example.com',
    actor: 'schedule',
  })
})

test('a plan without static export and a full queue refuse the start, in words', async () => {
  await addSite('plan.example.com', 'standard')
  expect((await startDue('plan.example.com')).outcome).toMatchObject({
    kind: 'refused',
    problem: 'The plan of this organization has no static export.',
  })
  await addSite('full.example.com')
  expect((await startDue('full.example.com', 0)).outcome).toMatchObject({
    kind: 'refused',
    problem: expect.stringContaining('the limit is 0'),
  })
})
