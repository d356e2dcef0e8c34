import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { page } from '../export/fake-site.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { createApiKey, createOrganization, startTestServer } from '../support/server.ts'

const pages = 100
const connections = 4

/** Starts a site that counts how many requests are under way, in all and at most. */
async function startCountingSite() {
  const counts = { now: 0, most: 0, total: 0 }
  const links = Array.from({ length: pages }, (_, index) => `<a href="/p${index}">x</a>`).join('')
  const server = createServer((request, response) => {
    counts.total += 1
    counts.now += 1
    counts.most = Math.max(counts.most, counts.now)
    setTimeout(() => {
      counts.now -= 1
      const { url = '/' } = request
      const isPage = url === '/' || /^\/p\d+$/.test(url)
      const body = url === '/' ? page('home', links) : isPage ? page(url) : '<h1>Not found</h1>'
      response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' }).end(body)
    }, 30)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    counts,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise<void>(done => void server.close(() => done()).closeAllConnections()),
  }
}

test('two exports of one origin at once send no more requests at a time than one alone', async () => {
  const site = await startCountingSite()
  const server = await startTestServer({ connections, exportsAtOnce: 2, verify: 'static' })
  try {
    const jobIds: string[] = []
    for (const domain of ['one.example.com', 'two.example.com']) {
      const { organizationId, projectId } = await createOrganization(server.store)
      const { key } = await createApiKey(server.store, organizationId)
      await server.store.sites.insert({ domain, projectId, origin: site.url, createdAt: 0 })
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ domain })
      const { json } = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
      jobIds.push(String(json.jobId))
    }
    let atOnce = 0
    let mostAtOnce = 0
    const ended = await waitFor(async () => {
      const jobs = await Promise.all(jobIds.map(jobId => server.store.exportJobs.find(jobId)))
      const working = jobs.filter(job => job?.status === 'running' && job.pageCount > 0).length
      // An export that began alone may still wait for answers that it asked for alone.
      if (atOnce < 2 && working === 2) site.counts.most = 0
      atOnce = Math.max(atOnce, working)
      if (working === 2) mostAtOnce = site.counts.most
      return jobs.every(job => job?.status === 'completed' || job?.status === 'failed') ? jobs : undefined
    })
    const all = { status: 'completed', pageCount: pages + 1 }
    expect(ended).toMatchObject([all, all])
    expect(atOnce).toBe(2)
    expect(site.counts.total).toBeGreaterThan(2 * pages)
    expect(mostAtOnce).toBe(connections)
  } finally {
    await server.dispose()
    await site.close()
  }
})
