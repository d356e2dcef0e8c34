import { expect, test } from 'vitest'
import { createClient, eachVisitor, waitForAgentJob } from '../../spec/package/client/index.ts'
import { createMock, type ScenarioName, scenarioNames } from '../../spec/package/mock/index.ts'

// What a client sees of each scenario.

const projectId = 'prj_5b1c2d3e4f506172'
const once = { firstWaitMs: 0, maxWaitMs: 0 }

/** Uses each operation of the API once, and some of them more often. */
async function play(scenario: ScenarioName) {
  const waited: number[] = []
  const mock = createMock({ scenario, stepSeconds: 1, wait: async delayMs => void waited.push(delayMs) })
  const quire = createClient({
    baseUrl: 'http://mock.test',
    apiKey: 'any-key',
    fetch: request => mock.answer(request),
    retry: { attempts: 1 },
  })
  const start = await quire.startStaticExportJob({ body: { domain: 'docs.example.com' } })
  const states: string[] = []
  const faults: string[] = []
  let jobId = 'none'
  if (start.status === 202) {
    jobId = start.data.jobId
    // A 500 of the mock is asked again after half a second or more.
    for (let i = 0; i < 400 && !/completed|failed/.test(states.at(-1) ?? ''); i++) {
      const { status, data } = await quire.getStaticExportJob({ params: { path: { jobId } } })
      if (data) states.push(data.status)
      else faults.push(String(status))
    }
  }
  const link = await quire.generateStaticExportBundle({ params: { path: { jobId } } })
  const downloads: number[] = []
  for (let i = 0; link.status === 200 && i < 8; i++) {
    downloads.push((await mock.answer(new Request(link.data.bundleUrl))).status)
  }
  const visitors: number[] = []
  for (let i = 0; i < 5; i++) {
    visitors.push((await quire.getUniqueVisitors({ params: { path: { projectId }, query: { limit: 1 } } })).status)
  }
  return { start: start.status, states: [...new Set(states)], faults, link: link.status, downloads, visitors, waited }
}

const works = {
  start: 202,
  states: ['queued', 'running', 'completed'],
  faults: [],
  link: 200,
  downloads: [200, 200, 200, 200, 200, 200, 200, 200],
  visitors: [200, 200, 200, 200, 200],
  waited: [],
}

const seen: Record<ScenarioName, object> = {
  usual: works,
  mixed: { waited: expect.arrayContaining([expect.any(Number)]), states: ['queued', 'running', 'completed'] },
  'failing-exports': { ...works, states: ['queued', 'running', 'failed'], link: 409, downloads: [] },
  'long-exports': works,
  'full-queue': { ...works, start: 429, states: [], link: 404, downloads: [] },
  'short-links': { ...works, states: ['completed'], downloads: [200, 200, 200, 200, 200, 403, 403, 403] },
  'rate-limit': { ...works, visitors: [200, 200, 200, 429, 429] },
  'no-visitors': works,
  slow: { ...works, waited: expect.arrayContaining([expect.any(Number)]) },
  faults: { faults: expect.arrayContaining(['500']) },
}

test.each(scenarioNames)('a client sees what the scenario %s says', async name => {
  const played = await play(name)
  expect(played).toMatchObject(seen[name])
})

test('agent jobs, and the pages of a scenario without visitors', async () => {
  const mock = createMock({ stepSeconds: 1 })
  const quire = createClient({ baseUrl: 'http://mock.test', apiKey: 'any', fetch: request => mock.answer(request) })
  const states: string[] = []
  const job = { projectId, id: 'aj_9c41d2e0b7a65f38' }
  for await (const { status } of waitForAgentJob(quire, job, once)) states.push(status)
  expect(states).toEqual(['active', 'completed'])
  const count = async () => {
    let pages = 0
    for await (const _ of eachVisitor(quire, { projectId })) pages++
    return pages
  }
  expect(await count()).toBe(120)
  mock.use({ scenario: 'no-visitors' })
  expect(await count()).toBe(0)
})
