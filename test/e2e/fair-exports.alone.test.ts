import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { page, startFakeSite } from '../export/fake-site.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

// Real servers on loopback: an organization with one page does not wait for one with hundreds of exports.

const withinMs = 15_000
const floodStarts = 300
const slowPageMs = 4_000

let dataFolder: string
let store: Store
let server: ServeProcess | undefined
let closing: (() => Promise<void>)[]

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-fair-'))
  store = openStore(dataFolder)
  closing = []
})
afterEach(async () => {
  await server?.end('SIGTERM')
  for (const close of closing) await close()
  store.close()
  await rm(dataFolder, { recursive: true, force: true })
})

interface Client {
  start(domain: string): Promise<{ status: number; jobId: string }>
}

/** Creates an organization with sites, by domain and origin. */
async function addOrganization(sites: Record<string, string>): Promise<Client> {
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  for (const [domain, origin] of Object.entries(sites))
    await store.sites.insert({ domain, projectId, origin, createdAt: Date.now() })
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  return {
    async start(domain) {
      const body = JSON.stringify({ domain })
      const answer = await send(server?.url ?? '', '/v1/static-export/jobs', { method: 'POST', headers, body })
      return { status: answer.status, jobId: String(answer.json.jobId) }
    },
  }
}

const untilStatus = (jobId: string, status: string, patienceMs?: number) =>
  waitFor(async () => ((await store.exportJobs.find(jobId))?.status === status ? true : undefined), patienceMs)

test.each([
  ['by default, flooded with a fast site', [], 'fast.example.com', 'another'],
  ['by default, flooded with the slow site', [], 'slow.example.com', 'another'],
  ['with two at once', ['--exports-at-once', '2'], 'slow.example.com', 'the flooding'],
])(
  `a page is exported within ${withinMs / 1000} s beside a flood and a slow site: %s`,
  async (_how, flags, flooded, slowOwner) => {
    const [fast, slow] = [await startSite(20), await startSite(50, { delayMs: slowPageMs })]
    const files = { '/': page('home', '<script src="/a.js"></script>'), '/a.js': 'document.title += "!"' }
    const small = await startFakeSite(files)
    closing.push(fast.close, slow.close, small.close)
    server = await startServe(['--data', dataFolder, ...flags])
    const flood = await addOrganization({ 'fast.example.com': fast.url, 'slow.example.com': slow.url })
    const other = await addOrganization({ 'slow.example.net': slow.url })
    const single = await addOrganization({ 'one.example.com': small.origin.href })

    const isAnother = slowOwner === 'another'
    const slowJob = await (isAnother ? other.start('slow.example.net') : flood.start('slow.example.com'))
    await untilStatus(slowJob.jobId, 'running')
    const answers = await Promise.all(Array.from({ length: floodStarts }, () => flood.start(flooded)))
    const accepted = answers.filter(({ status }) => status === 202)
    expect(accepted.length).toBeGreaterThanOrEqual(100)
    expect(accepted.length).toBeLessThan(150)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(floodStarts - accepted.length)

    const startedAt = performance.now()
    const { jobId } = await single.start('one.example.com')
    await untilStatus(jobId, 'completed', 60_000)
    const tookMs = performance.now() - startedAt
    console.log(`completed after ${Math.round(tookMs)} ms`)
    expect(tookMs).toBeLessThan(withinMs)
    expect((await store.exportJobs.find(slowJob.jobId))?.status).toBe('running')
  },
)
