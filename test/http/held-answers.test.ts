import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { queuedJob } from '../support/export-job.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let organizationId: string
let projectId: string
let key: string
beforeAll(async () => {
  server = await startTestServer()
  const organization = await createOrganization(server.store)
  organizationId = organization.organizationId
  projectId = organization.projectId
  key = (await createApiKey(server.store, organizationId)).key
})
afterAll(() => server.dispose())

let count = 0
/** Adds an active job, and returns its id. */
async function addJob(): Promise<string> {
  const id = `job-${++count}`
  const source = { repository: 'https://git.example.com/acme/docs', ref: null }
  const times = { createdAt: 1, archivedAt: null }
  await server.store.agentJobs.insert({ projectId, id, status: 'active', source, model: 'm', prLink: null, ...times })
  return id
}

async function complete(id: string): Promise<void> {
  const job = await server.store.agentJobs.find(projectId, id)
  if (job) await server.store.agentJobs.update({ ...job, status: 'completed' }, 'active')
}

async function ask(path: string, prefer?: string) {
  const startedAt = performance.now()
  const headers = { Authorization: `Bearer ${key}`, ...(prefer !== undefined && { Prefer: prefer }) }
  const answer = await fetch(server.url + path, { headers })
  const applied = answer.headers.get('preference-applied')
  const { status } = (await answer.json()) as { status: string }
  return { applied, status, isHeld: performance.now() - startedAt > 700 }
}
const read = (id: string, prefer?: string) => ask(`/v2/agent/${projectId}/job/${id}`, prefer)

test('an answer is held until the status of the agent job changes', async () => {
  const id = await addJob()
  const answer = read(id, 'respond-async, wait=30')
  await sleep(300)
  await complete(id)
  expect(await answer).toEqual({ applied: 'wait=30', status: 'completed', isHeld: true })
})

test('an answer is held until the status of the export changes', async () => {
  const job = queuedJob({ jobId: 'se_0f3c9a1b2d4e5f60', organizationId, createdAt: Date.now() })
  const lease = await server.store.atomically(function* ({ exportJobs }) {
    yield* exportJobs.start(job, undefined, 0)
    return (yield* exportJobs.claim('test', Date.now(), 60_000))?.lease
  })
  const answer = ask('/v1/static-export/jobs/se_0f3c9a1b2d4e5f60', 'wait=90')
  await sleep(300)
  if (lease) await server.store.exportJobs.fail(lease, 'The site did not answer.', Date.now())
  expect(await answer).toEqual({ applied: 'wait=60', status: 'failed', isHeld: true })
})

test('an answer comes when the time is over', async () => {
  expect(await read(await addJob(), 'wait=1')).toEqual({ applied: 'wait=1', status: 'active', isHeld: true })
})

test('a job that has ended is answered at once, and so is a request that prefers something else', async () => {
  const id = await addJob()
  for (const prefer of [undefined, 'code=200, example=active', 'wait=soon', 'handling=lenient; wait=9'])
    expect(await read(id, prefer)).toEqual({ applied: null, status: 'active', isHeld: false })
  await complete(id)
  expect(await read(id, 'wait=30')).toEqual({ applied: 'wait=30', status: 'completed', isHeld: false })
})

test('of 200 requests at once 100 wait, and others are answered meanwhile', async () => {
  const id = await addJob()
  const answers = Promise.all(Array.from({ length: 200 }, () => read(id, 'wait=20')))
  await sleep(1500)
  for (let i = 0; i < 20; i++) expect(await read(id)).toMatchObject({ applied: null, isHeld: false })
  await complete(id)
  const applied = (await answers).filter(answer => answer.applied === 'wait=20')
  expect(applied).toHaveLength(100)
  expect(applied.every(({ status, isHeld }) => status === 'completed' && isHeld)).toBe(true)
})

test('a client that leaves gives its place back', async () => {
  const id = await addJob()
  const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=60' }
  const left = Array.from({ length: 100 }, () => {
    const sent = request(`${server.url}/v2/agent/${projectId}/job/${id}`, { headers, agent: false })
    sent.on('error', () => {}).end()
    return sent
  })
  await sleep(2000)
  expect(await read(id, 'wait=1')).toMatchObject({ applied: null })
  for (const sent of left) sent.destroy()
  await vi.waitFor(async () => expect(await read(id, 'wait=1')).toMatchObject({ applied: 'wait=1' }), { timeout: 5000 })
})

test('a server that stops answers at once', async () => {
  const answer = read(await addJob(), 'wait=60')
  await sleep(300)
  const startedAt = performance.now()
  await server.restart()
  expect(await answer).toMatchObject({ applied: 'wait=60', status: 'active' })
  expect(performance.now() - startedAt).toBeLessThan(5000)
})
