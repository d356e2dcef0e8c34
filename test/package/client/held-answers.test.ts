import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createClient, waitForAgentJob, waitForExport } from '../../../spec/package/client/index.ts'
import { queuedJob } from '../../support/export-job.ts'
import { useExtensionsServer } from '../../support/extensions-server.ts'

// The client waits for jobs of the server itself.

const started = useExtensionsServer()

/** Opens a client that counts its requests, with a server that ignores Prefer or not. */
function open(ignoresPrefer: boolean) {
  const count = { requests: 0 }
  const fetch = (request: Request) => {
    count.requests++
    if (ignoresPrefer) request.headers.delete('Prefer')
    return globalThis.fetch(request)
  }
  return { quire: createClient({ baseUrl: started.server.url, apiKey: started.keys.all, fetch }), count }
}

test.each([
  { server: 'that holds answers', ignoresPrefer: false, requests: 2, latestMs: 4500 },
  { server: 'that ignores Prefer', ignoresPrefer: true, requests: 4, latestMs: 6000 },
])('an agent job of 3 seconds takes $requests requests to a server $server', async given => {
  const { agentJobs } = started.server.store
  const job = {
    ...{ projectId: started.projectId, id: `job-${given.requests}`, model: 'm', prLink: null },
    ...{ source: { repository: 'https://git.example.com/acme/docs', ref: null }, createdAt: 1, archivedAt: null },
  }
  await agentJobs.insert({ ...job, status: 'active' })
  const { quire, count } = open(given.ignoresPrefer)
  const startedAt = performance.now()
  const ended = sleep(3000).then(() => agentJobs.update({ ...job, status: 'completed' }, 'active'))
  const states: string[] = []
  for await (const { status } of waitForAgentJob(quire, job)) states.push(status)
  expect({ states, requests: count.requests }).toEqual({ states: ['active', 'completed'], requests: given.requests })
  expect(performance.now() - startedAt).toBeLessThan(given.latestMs)
  await ended
})

test('an export that fails during a pause of 10 seconds is known within two', async () => {
  const jobId = 'se_0f3c9a1b2d4e5f60'
  const { store } = started.server
  const lease = await store.atomically(function* ({ exportJobs }) {
    const job = queuedJob({ jobId, organizationId: started.organizationId, createdAt: Date.now() })
    yield* exportJobs.start(job, undefined, 0)
    return (yield* exportJobs.claim('test', Date.now(), 60_000))?.lease
  })
  const { quire, count } = open(false)
  let failedAt = 0
  const ended = sleep(1500).then(async () => {
    failedAt = performance.now()
    if (lease) await store.exportJobs.fail(lease, 'The site did not answer.', Date.now())
  })
  const states: string[] = []
  for await (const { status } of waitForExport(quire, jobId, { firstWaitMs: 10_000 })) states.push(status)
  await ended
  expect({ states, requests: count.requests }).toEqual({ states: ['running', 'failed'], requests: 2 })
  expect(performance.now() - failedAt).toBeLessThan(2000)
})
