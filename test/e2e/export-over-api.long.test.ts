import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { createClient, type QuireClient } from '../../spec/package/client/index.ts'
import { readArchive } from '../export/read-archive.ts'
import { serveFolder, startServer } from '../export/static-server.ts'
import { waitFor } from '../support/export-site.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

const html = '/usr/share/doc/python3.11/html'
const minPages = 526
const officialLoopMs = 600_000

let folder: string
let server: ServeProcess
let origin: Awaited<ReturnType<typeof startServer>>
let quire: QuireClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-api-export-'))
  origin = await startServer(serveFolder(html))
  const dataFolder = join(folder, 'data')
  const store = openStore(dataFolder)
  const { organizationId, projectId } = await createOrganization(store)
  await store.sites.insert({
    domain: 'docs.python.example',
    projectId,
    origin: origin.origin.href,
    createdAt: Date.now(),
  })
  const { key } = await createApiKey(store, organizationId)
  store.close()
  server = await startServe(['--data', dataFolder])
  quire = createClient({ baseUrl: server.url, apiKey: key })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  await origin.close()
  await rm(folder, { recursive: true, force: true })
})

/** Exports with the generated client: starts a job, polls it, requests a link and downloads the bundle. */
async function exportOverApi(): Promise<{ pageCount: number; sha256: string; file: string; wasLive: boolean }> {
  const started = await quire.startStaticExportJob({ body: { domain: 'docs.python.example' } })
  const path = { jobId: started.data?.jobId ?? '' }
  expect(started.response.headers.get('location')).toBe(`/v1/static-export/jobs/${path.jobId}`)
  const counts: number[] = []
  const job = await waitFor(async () => {
    const { data } = await quire.getStaticExportJob({ params: { path } })
    counts.push(data?.pageCount ?? -1)
    return data?.status === 'completed' || data?.status === 'failed' ? data : undefined
  }, officialLoopMs)
  expect(job).toMatchObject({ status: 'completed', error: null, progress: 100 })
  const wasLive = counts.some(count => count > 0 && count < job.pageCount)
  const { data: bundle } = await quire.generateStaticExportBundle({ params: { path } })
  const bytes = Buffer.from(await (await fetch(bundle?.bundleUrl ?? '')).arrayBuffer())
  expect(bytes).toHaveLength(bundle?.sizeBytes ?? -1)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(bundle?.sha256)
  const file = join(folder, `${path.jobId}.zip`)
  await writeFile(file, bytes)
  return { pageCount: job.pageCount, sha256: bundle?.sha256 ?? '', file, wasLive }
}

test.skipIf(!existsSync(html))(
  'the Python documentation is exported with the API only, twice with the same bytes (apt-get install python3.11-doc)',
  async () => {
    const first = await exportOverApi()
    expect(first.pageCount).toBeGreaterThanOrEqual(minPages)
    // Progress was reported while the export ran.
    expect(first.wasLive).toBe(true)
    const names = readArchive(first.file).map(({ name }) => name)
    expect(names).toEqual([...names].sort())
    expect(names.filter(name => name.endsWith('.html')).length).toBeGreaterThanOrEqual(minPages)
    expect((await exportOverApi()).sha256).toBe(first.sha256)
  },
  officialLoopMs,
)
