import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ExportJob } from '../../server/export/jobs/export-job.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { page, startFakeSite } from '../export/fake-site.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { hostileSites, startHostileSites } from './hundred-sites.ts'

const atOnce = 10
/** No other test has this limit, so it identifies the processes of this test. */
const memoryMb = 900
/** One organization has at most half of the places. */
const organizations = 5
// The good export shares two cores with ten hostile ones, and in a run of all tests with others.
const jobSeconds = 120

test(`${hostileSites} hostile sites, ${atOnce} at once, change no byte of a good one, and leave no process and no file`, {
  timeout: 900_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-hundred-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const hostile = await startHostileSites()
  onTestFinished(hostile.close)
  const good = await startFakeSite(makeGoodSite())
  onTestFinished(good.close)
  const data = join(folder, 'data')
  const store = openStore(data)
  const flags = ['--exports-at-once', String(atOnce + 1), '--job-timeout-seconds', String(jobSeconds)]
  const small = [
    '--page-timeout-seconds',
    '20',
    '--export-memory-mb',
    String(memoryMb),
    '--max-retries',
    '1',
    '--verify',
    'static',
    '--no-export-cache',
  ]
  const server = await startServe(['--data', data, ...flags, ...small])
  onTestFinished(async () => {
    await server.end('SIGTERM')
    store.close()
  })

  const owner = await addOrganization(store, { 'good.example.com': good.origin.href })
  const alone = await untilEnded(store, await startExport(server.url, owner, 'good.example.com'))
  const attackers = await Promise.all(
    Array.from({ length: organizations }, (_, organization) => {
      const own = Array.from({ length: hostileSites }, (_, site) => site).filter(
        site => site % organizations === organization,
      )
      return addOrganization(store, Object.fromEntries(own.map(site => [`h${site}.example.com`, hostile.origin(site)])))
    }),
  )
  const jobs: string[] = []
  for (let site = 0; site < hostileSites; site += 1) {
    jobs.push(await startExport(server.url, attackers[site % organizations] ?? '', `h${site}.example.com`))
  }
  await waitFor(async () =>
    (await store.exportJobs.list({})).filter(({ status }) => status === 'running').length >= atOnce ? true : undefined,
  )
  const beside = await untilEnded(store, await startExport(server.url, owner, 'good.example.com'))
  expect([alone.error, beside.error]).toEqual([null, null])
  expect(beside.bundle?.sha256).toBe(alone.bundle?.sha256)

  const ended = await Promise.all(jobs.map(jobId => untilEnded(store, jobId)))
  for (const { error } of ended) if (error !== null) expect(error).toMatch(/^\S.{20,300}\.$/)
  const failures = ended
    .filter(({ status }) => status === 'failed')
    .map(({ request, error }) => `${request.domain}: ${error}`)
  console.log(`${ended.length - failures.length} completed, ${failures.length} failed\n${failures.join('\n')}`)

  const { status } = await send(server.url, '/healthz')
  expect([status, await readdir(join(data, 'work')), listProcesses(data)]).toEqual([200, [], []])
})

/** Pages with scripts, styles and links. */
function makeGoodSite(): Record<string, string> {
  const names = Array.from({ length: 20 }, (_, at) => `/p${at}.html`)
  const markup = `<link rel="stylesheet" href="/a.css"><script src="/a.js"></script>${names.map(name => `<a href="${name}">${name}</a>`).join(' ')}`
  return {
    '/': page('home', markup),
    ...Object.fromEntries(names.map(name => [name, page(name, markup)])),
    '/a.css': 'body { color: #222 }',
    '/a.js': 'document.title += "!"',
  }
}

/** Adds an organization with sites, by domain and origin, and returns its key. */
async function addOrganization(store: Store, sites: Record<string, string>): Promise<string> {
  const { organizationId, projectId } = await createOrganization(store)
  for (const [domain, origin] of Object.entries(sites)) {
    await store.sites.insert({ domain, projectId, origin, createdAt: Date.now() })
  }
  return (await createApiKey(store, organizationId)).key
}

async function startExport(url: string, key: string, domain: string): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ domain })
  const { json } = await send(url, '/v1/static-export/jobs', { method: 'POST', headers, body })
  return String(json.jobId)
}

const untilEnded = (store: Store, jobId: string): Promise<ExportJob> =>
  waitFor(async () => {
    const job = await store.exportJobs.find(jobId)
    return job && job.status !== 'queued' && job.status !== 'running' ? job : undefined
  }, 800_000)

/** Lists the processes of exports, and the browsers whose profiles are in this folder. */
function listProcesses(folder: string): string[] {
  return readdirSync('/proc').flatMap(pid => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
      const isExport = command.includes('export-process') && command.includes(` ${memoryMb * 1024 ** 2}`)
      return isExport || command.includes(join(folder, 'work')) ? [command] : []
    } catch {
      return []
    }
  })
}
