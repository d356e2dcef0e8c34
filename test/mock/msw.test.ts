import { http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  createClient,
  eachVisitor,
  QuireError,
  waitForAgentJob,
  waitForExport,
} from '../../spec/package/client/index.ts'
import { createMock } from '../../spec/package/mock/index.ts'
import { createHandlers } from '../../spec/package/mock/msw.ts'

const mock = createMock({ stepSeconds: 1 })
const server = setupServer(
  ...createHandlers(http, { mock, baseUrl: 'https://docs.example.com/quire/' }),
  ...createHandlers(http, { scenario: 'rate-limit', stepSeconds: 1 }),
)
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => mock.reset())
afterAll(() => server.close())

const quire = createClient({ baseUrl: 'https://docs.example.com/quire', apiKey: 'any' })

test('the client waits for an export and downloads its bundle, without a server', async () => {
  const started = await quire.startStaticExportJob({ body: { domain: 'docs.example.com' } })
  if (started.status !== 202) throw new Error(`The start was answered ${started.status}.`)
  const states: string[] = []
  for await (const job of waitForExport(quire, started.data.jobId, { firstWaitMs: 1, maxWaitMs: 1 }))
    states.push(job.status)
  expect([...new Set(states)]).toEqual(['queued', 'running', 'completed'])
  const link = await quire.generateStaticExportBundle({ params: { path: { jobId: started.data.jobId } } })
  if (link.status !== 200) throw new Error(`The link was answered ${link.status}.`)
  expect(link.data.bundleUrl).toMatch(/^https:\/\/docs\.example\.com\/quire\/bundles\/se_/)
  const bytes = await (await fetch(link.data.bundleUrl)).arrayBuffer()
  expect(bytes.byteLength).toBe(link.data.sizeBytes)
})

test('agent jobs and visitors are there, too', async () => {
  const states: string[] = []
  const job = { projectId: 'prj_5b1c2d3e4f506172', id: 'aj_9c41d2e0b7a65f38' }
  for await (const state of waitForAgentJob(quire, job, { firstWaitMs: 1, maxWaitMs: 1 })) states.push(state.status)
  expect([...new Set(states)]).toEqual(['active', 'completed'])
  const pages: string[] = []
  for await (const { path } of eachVisitor(quire, { projectId: job.projectId })) pages.push(path)
  expect(new Set(pages).size).toBe(120)
})

test('a test changes the settings, and the client sees the error', async () => {
  mock.use({ error: 'plan' })
  const refused = await quire.startStaticExportJob({ body: { domain: 'docs.example.com' } })
  expect(refused.status === 403 && refused.error.error).toContain('enterprise plan')
  mock.use({ error: 'network' })
  await expect(quire.startStaticExportJob({ body: { domain: 'docs.example.com' } })).rejects.toThrow(QuireError)
})

test('without a base URL, the handlers answer on any origin', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) {
    const url = 'http://api.test/v1/analytics/prj_5b1c2d3e4f506172/visitors?limit=2'
    const response = await fetch(url, { headers: { Authorization: 'Bearer any' } })
    statuses.push(response.status)
    const body = (await response.json()) as { visitors?: unknown[] }
    if (response.status === 200) expect(body.visitors).toHaveLength(2)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
})
