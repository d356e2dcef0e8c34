import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { defaultLimits } from '../../server/export/model/limits.ts'
import { openStore } from '../../server/store/store.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { serveFolder, startServer } from '../export/static-server.ts'
import { send } from '../support/client.ts'
import { type ServeProcess, startServe } from '../support/process.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

// A killed export resumes and gives the same bytes. It does not repeat requests that were answered well before the kill.

const random = createRandom('kills')
const kills = rounds(8)
/** An export saves an answer a quarter of a second after it arrived; a busy machine takes longer. */
const writtenWithinMs = 2000
/** The process of an export ends this long after its server was killed, at the latest. */
const outlivesMs = 1000
const { connections } = defaultLimits
const html = '/usr/share/doc/python3.11/html'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Asked {
  key: string
  /** Time of the request. A process that is killed before it receives the answer must request it again. */
  at: number
}

/** Starts a site that records each answered request with its time. */
async function startRecordedSite(listener: RequestListener): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = await startServer((request, response) => {
    const at = Date.now()
    response.on('finish', () => asked.push({ key: `${request.headers.accept} ${request.url}`, at }))
    listener(request, response)
  })
  closers.push(() => server.close())
  return { origin: server.origin.href, asked }
}

/**
 * Lists repeated requests that no kill explains. A request may be repeated if a kill came soon after it. As many requests
 * as there are connections may also be repeated, because their answers can be unread at a kill.
 */
function listWasted(asked: readonly Asked[], killedAt: readonly number[]): string[] {
  const before = new Map<string, number>()
  const underWay = new Map<number, number>()
  return asked.flatMap(({ key, at }) => {
    const first = before.get(key)
    before.set(key, at)
    if (first === undefined) return []
    const kill = killedAt.find(kill => kill + outlivesMs >= first && kill <= at)
    if (kill !== undefined && kill - first < writtenWithinMs) return []
    const count = (kill === undefined ? connections : (underWay.get(kill) ?? 0)) + 1
    if (kill !== undefined) underWay.set(kill, count)
    const after = kill === undefined ? 'without a kill' : `killed ${kill - first} ms after it`
    return count > connections ? [`${key}, ${at - first} ms after the first, ${after}`] : []
  })
}

/** Repeats exports with new caches until the server was killed `kills` times. Returns the sha256 of the bundles. */
async function exportUnderKills(site: Awaited<ReturnType<typeof startRecordedSite>>, maxMs: number): Promise<string[]> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'quire-resume-'))
  closers.push(() => rm(dataFolder, { recursive: true, force: true }))
  const store = openStore(dataFolder)
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.origin, createdAt: Date.now() })
  store.close()
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  let server: ServeProcess | undefined
  closers.push(async () => server?.child.kill('SIGKILL'))
  const ask = async (path: string, method = 'GET', body?: string) =>
    (await send(server?.url ?? '', `/v1/static-export/jobs${path}`, { method, headers, ...(body && { body }) })).json

  const bundles: string[] = []
  let killed = 0
  let resumed = 0
  while (killed < kills) {
    await rm(join(dataFolder, 'sites'), { recursive: true, force: true })
    server = await startServe(['--data', dataFolder, '--lease-seconds', '1'])
    const { jobId } = await ask('', 'POST', '{"domain":"docs.example.com"}')
    site.asked.length = 0
    const killedAt: number[] = []
    let before = { progress: 0, pageCount: 0 }
    for (;;) {
      const endsAt = Date.now() + 500 + random() * maxMs
      let status: unknown = 'queued'
      while ((killed >= kills || Date.now() < endsAt) && status !== 'completed') {
        const job = (await ask(`/${jobId}`)) as unknown as typeof before & { status: string; error: string | null }
        expect(job.error).toBeNull()
        expect(job.progress).toBeGreaterThanOrEqual(before.progress)
        expect(job.pageCount).toBeGreaterThanOrEqual(before.pageCount)
        before = job
        status = job.status
        await new Promise(done => setTimeout(done, 50))
      }
      if (status === 'completed') break
      await server.end('SIGKILL')
      killedAt.push(Date.now())
      killed += 1
      resumed += 1
      server = await startServe(['--data', dataFolder, '--lease-seconds', '1'])
    }
    expect(listWasted(site.asked, killedAt)).toEqual([])
    bundles.push(String((await ask(`/${jobId}/bundle`, 'POST')).sha256))
    expect(await server.end('SIGTERM')).toBe(0)
  }
  expect(resumed).toBe(kills)
  return bundles
}

test.each<[string, number, number[], number]>([
  ['again without a kill', 1, [], 1],
  ['under way at a kill', connections, [10_000], 0],
  ['more than can be under way', connections + 2, [10_000], 2],
  ['just before a kill', 100, [1000], 0],
])('counts the wasted requests: %s', (_, count, killedAt, wasted) => {
  const round = (at: number) => Array.from({ length: count }, (_, i) => ({ key: String(i), at }))
  expect(listWasted([...round(0), ...round(12_000)], killedAt)).toHaveLength(wasted)
})

test.skipIf(!existsSync(html))(
  `python docs: ${kills} kills, the same bytes, nothing fetched twice (apt-get install python3.11-doc)`,
  async () => {
    const site = await startRecordedSite(serveFolder(html))
    const bundles = await exportUnderKills(site, 6000)
    expect(new Set(bundles).size).toBe(1)
    expect(bundles[0]).toMatch(/^[0-9a-f]{64}$/)
  },
)

const pages = 60

/** A site whose pages are built in the browser from texts. Each answer is delayed. */
const renderedSite: RequestListener = (request, response) => {
  const [path = '/'] = (request.url ?? '/').split('?')
  const text = /^\/text\/(\d+)\.txt$/.exec(path)?.[1]
  const isPage = path === '/' || (/^\/page-\d+$/.test(path) && Number(path.slice(6)) < pages)
  const answer = (type: string, body: string, status = 200) =>
    setTimeout(() => response.writeHead(status, { 'content-type': type }).end(body), 20)
  if (path === '/app.js') answer('text/javascript', app)
  else if (text) answer('text/plain', Array.from({ length: 60 }, (_, i) => `word${i}of${text}`).join(' '))
  else if (isPage)
    answer(
      'text/html',
      '<!doctype html><title>Docs</title><body><div id="app"></div><script src="/app.js"></script></body>',
    )
  else answer('text/html', '<h1>Not found</h1>', 404)
}
const app = `
  const number = Number(location.pathname.replace(/\\D/g, ''))
  fetch('/text/' + number + '.txt').then(answer => answer.text()).then(text => {
    const main = document.createElement('main')
    main.textContent = text
    document.body.append(main)
    for (let next = number * 4 + 1; next <= number * 4 + 4 && next < ${pages}; next++) {
      const link = document.createElement('a')
      link.href = '/page-' + next
      link.textContent = 'page ' + next
      main.append(link)
    }
  })`

test(`a rendered site: ${kills} kills, the same bytes, nothing fetched twice`, async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  const site = await startRecordedSite(renderedSite)
  const bundles = await exportUnderKills(site, 6000)
  expect(new Set(bundles).size).toBe(1)
  expect(bundles[0]).toMatch(/^[0-9a-f]{64}$/)
})
