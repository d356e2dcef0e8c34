import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Bundle, ExportJob } from '../../server/export/jobs/export-job.ts'
import { createPreviewLinks } from '../../server/export/jobs/preview-links.ts'
import { type BundlePreviews, createBundlePreviews } from '../../server/serving/bundle-previews.ts'
import { waitFor } from '../support/export-site.ts'
import { makeZip } from '../unpack/make-archives.ts'

const links = createPreviewLinks({ current: () => Buffer.alloc(32, 1) })
const jobIds = ['a', 'b', 'c', 'd', 'e'].map(digit => `se_${digit.repeat(16)}`)
let folder: string
let work: string
let now: number
let condition: 'sound' | 'missing'
let known: Set<string>
let previews: BundlePreviews
let server: Server
const errors: unknown[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-previews-'))
  work = join(folder, 'work')
  now = Date.now()
  condition = 'sound'
  known = new Set(jobIds)
  errors.length = 0
  writeFileSync(
    join(folder, 'bundle.zip'),
    makeZip([
      { name: 'index.html', content: '<title>First</title>' },
      { name: 'next/index.html', content: '<title>Next</title>' },
      { name: 'app.3f2a9b1c.js', content: 'run()' },
    ]),
  )
  // Each job has a bundle of its own, with the same files.
  const toBundle = (jobId: string) =>
    ({ fileName: 'bundle.zip', sha256: jobId.slice(3).repeat(4), sizeBytes: 1 }) as Bundle
  previews = createBundlePreviews({
    links,
    bundles: {
      check: async () => condition,
      withFile: (_name, work) => work(join(folder, 'bundle.zip')),
    },
    exportJobs: {
      find: async jobId => (known.has(jobId) ? ({ bundle: toBundle(jobId) } as ExportJob) : undefined),
    },
    workFolder: work,
    now: () => now,
    onError: error => errors.push(error),
  })
  server = createServer((req, res) => {
    const isPublic = req.headers['x-public'] !== undefined
    const url = isPublic ? 'https://example.com/quire' : 'http://127.0.0.1:1'
    if (!previews.answer(req, res, { url, isPublic })) res.end('of the server')
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise(done => server.close(done))
  await previews.stop()
  expect(errors).toEqual([])
  expect(existsSync(work) ? readdirSync(work) : []).toEqual([])
  rmSync(folder, { recursive: true, force: true })
})

interface Got {
  status: number | undefined
  headers: IncomingMessage['headers']
  text: string
}

function ask(path: string, headers: Record<string, string> = {}): Promise<Got> {
  const { port } = server.address() as AddressInfo
  const sent = { host: 'docs.example.com', ...headers }
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers: sent }, async response => {
      let text = ''
      for await (const part of response) text += part
      resolve({ status: response.statusCode, headers: response.headers, text })
    })
    request.on('error', reject)
  })
}

const pathOf = (job = 0) => previews.path(jobIds[job] as string)

test('pages are sandboxed under a path, and nothing keeps them', async () => {
  const first = await ask(pathOf())
  expect(first).toMatchObject({ status: 200, text: expect.stringContaining('First') })
  expect(first.headers['content-security-policy']).toMatch(/^sandbox allow-scripts allow-popups; /)
  const script = await ask(`${pathOf()}app.3f2a9b1c.js`)
  for (const { headers } of [first, script]) expect(headers['cache-control']).toBe('private, no-store')
})

test('below a path of a proxy, redirects and links keep that path', async () => {
  const { headers } = await ask(`${pathOf()}next`, { 'x-public': 'yes' })
  expect(headers.location).toBe(`/quire${pathOf()}next/`)
  const page = await ask(`${pathOf()}next/`, { 'x-public': 'yes' })
  expect(page.headers.link).toContain(`</quire${pathOf()}next/`)
})

test.each(['localhost', '127.0.0.1', '[::1]'])('at %s, a bundle is led to a host of its own', async host => {
  const path = `${pathOf()}next/?a=1`
  const name = path.split('/')[2]
  const led = await ask(path, { host: `${host}:8787` })
  expect(led).toMatchObject({ status: 302, headers: { location: `http://${name}.localhost:8787/next/?a=1` } })
  const page = await ask('/next/', { host: `${name}.localhost:8787` })
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Next') })
  expect(page.headers['content-security-policy']).not.toContain('sandbox')
  // Through a proxy, localhost may be the proxy's own name for the server.
  expect(await ask(path, { host: `${host}:8787`, 'x-public': 'yes' })).toMatchObject({ status: 200 })
})

test('other names and paths are those of the server', async () => {
  for (const host of ['quire.localhost', 'localhost', `x${pathOf().split('/')[2]}.localhost`])
    expect((await ask('/dashboard/', { host })).text).toBe('of the server')
  expect((await ask('/previews/')).text).toBe('of the server')
  expect((await ask(pathOf().slice(0, -1))).headers.location).toBe(`${pathOf().split('/')[2]}/`)
})

test('what has expired, was deleted or was damaged says so', async () => {
  const path = pathOf()
  const ended = { status: 404, text: expect.stringContaining('has expired') }
  condition = 'missing'
  expect(await ask(path)).toMatchObject(ended)
  condition = 'sound'
  expect(await ask(path)).toMatchObject({ status: 200 })
  known.delete(jobIds[0] as string)
  now += 6000
  expect(await ask(path)).toMatchObject(ended)
  known.add(jobIds[0] as string)
  now += 3_600_000
  expect(await ask(path)).toMatchObject(ended)
  for (const other of ['/preview/', '/preview/x/', '/preview/../dashboard/'])
    expect(await ask(other)).toMatchObject(ended)
})

test('a page of the server cannot load a file of a sandboxed bundle', async () => {
  const path = `${pathOf()}app.3f2a9b1c.js`
  const as = (site: string, purpose: string) => ask(path, { 'sec-fetch-site': site, 'sec-fetch-dest': purpose })
  for (const purpose of ['script', 'style', 'worker', 'empty', 'iframe']) {
    expect((await as('same-origin', purpose)).status).toBe(403)
    expect((await as('cross-site', purpose)).status).toBe(200)
  }
  expect((await as('same-origin', 'document')).status).toBe(200)
})

test('at most four bundles are unpacked, and the one that was not used longest goes first', async () => {
  const order: string[] = []
  for (const job of [0, 1, 2, 3]) {
    now += 1000
    expect((await ask(pathOf(job))).status).toBe(200)
    order.push(...readdirSync(work).filter(name => !order.includes(name)))
  }
  now += 1000
  expect((await ask(pathOf(0))).status).toBe(200)
  await Promise.all([4, 4, 4].map(async job => expect((await ask(pathOf(job))).status).toBe(200)))
  const isGone = () => (readdirSync(work).includes(order[1] as string) ? undefined : true)
  await waitFor(async () => isGone(), 5000)
  const left = readdirSync(work)
  expect(left).toHaveLength(4)
  expect(left).toEqual(expect.arrayContaining([order[0], order[2], order[3]]))
})

test('a bundle that nobody looks at is removed from the disk', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  try {
    const idle = createBundlePreviews({
      links,
      bundles: { check: async () => condition, withFile: (_name, work) => work(join(folder, 'bundle.zip')) },
      exportJobs: { find: async () => ({ bundle: { fileName: 'bundle.zip', sha256: 'f'.repeat(64) } }) as ExportJob },
      workFolder: work,
      now: () => now,
      onError: error => errors.push(error),
    })
    await previews.stop()
    previews = idle
    expect((await ask(pathOf())).status).toBe(200)
    vi.advanceTimersByTime(60_000)
    expect(readdirSync(work)).toHaveLength(1)
    now += 11 * 60_000
    vi.advanceTimersByTime(60_000)
    await waitFor(async () => (readdirSync(work).length === 0 ? true : undefined), 5000)
  } finally {
    vi.useRealTimers()
  }
})
