import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, open as openFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CachedAnswer, FinishedExport, SiteCache } from '../../../server/export/model/site-cache.ts'
import { openLostFolder } from '../../../server/store/lost-files.ts'
import { openSiteCache } from '../../../server/store/site-cache/site-cache.ts'
import { openSiteCaches, sortSiteCaches } from '../../../server/store/site-cache/site-caches.ts'
import { startProgram } from '../../support/program.ts'
import { createRandomBytes } from '../../support/random.ts'

let folder: string
let warnings: string[]
const open: SiteCache[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-site-'))
  warnings = []
})
afterEach(async () => {
  for (const cache of open.splice(0)) await cache.close()
  await rm(folder, { recursive: true, force: true })
})

const site = () => join(folder, 'site')
const bodies = () => readdir(join(site(), 'bodies'))

function openCache(options: { maxBytes?: number; sharesArchives?: boolean } = {}): SiteCache {
  const cache = openSiteCache({
    folder: site(),
    maxBytes: 1e9,
    sharesArchives: false,
    warn: (_, message) => warnings.push(message),
    ...options,
  })
  if (!cache) throw new Error('the cache is in use')
  open.push(cache)
  return cache
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Stores a page with this text. */
async function store(cache: SiteCache, path: string, text: string, run = 'one'): Promise<CachedAnswer> {
  const body = { sha256: sha256(text), sizeBytes: text.length }
  expect(await cache.keepBody(Buffer.from(text), body)).toBe(true)
  const answer: CachedAnswer = {
    asked: `http://a/${path}`,
    accept: '*/*',
    status: 200,
    url: `http://a/${path}`,
    redirected: false,
    contentType: 'text/html',
    headers: { 'content-type': 'text/html' },
    validators: { etag: '"1"', lastModified: null },
    body,
    run,
  }
  cache.putAnswer(answer)
  return answer
}

async function finish(cache: SiteCache, run: string, key = 'options'): Promise<FinishedExport> {
  const archive = join(folder, `${run}.zip`)
  await writeFile(archive, `archive of ${run}`)
  const finished: FinishedExport = {
    key,
    run,
    pageCount: 1,
    sha256: sha256(`archive of ${run}`),
    sizeBytes: 11 + run.length,
    report: { domain: 'a' } as FinishedExport['report'],
    asked: [{ asked: 'http://a/', accept: '*/*', digest: 'd' }],
    delays: [['a', 1000]],
  }
  await cache.finish(finished, archive)
  return finished
}

test('answers, views and bodies come back as they were stored, even after the cache was closed', async () => {
  const cache = openCache()
  const answer = await store(cache, '', 'hello')
  const view = {
    key: 'v',
    given: [['{}', 'd']] as [string, string][],
    body: answer.body ?? { sha256: '', sizeBytes: 0 },
    run: 'one',
  }
  cache.putView(view)
  expect([cache.findAnswer('http://a/', '*/*'), cache.findView('v')]).toEqual([answer, view])
  await cache.close()
  const again = openCache()
  expect([again.findAnswer('http://a/', '*/*'), again.findView('v')]).toEqual([answer, view])
  expect((await again.readBody(view.body))?.toString()).toBe('hello')
  expect(again.findAnswer('http://a/', 'text/html')).toBeUndefined()
})

test('an answer written just before a kill is kept, and the lock is gone', async () => {
  const program = `
    import { openSiteCache } from '${join(import.meta.dirname, '../../../server/store/site-cache/site-cache.ts')}'
    const cache = openSiteCache({ folder: ${JSON.stringify(site())}, maxBytes: 1e9, sharesArchives: false, warn() {} })
    cache.putAnswer({ asked: 'http://a/', accept: '*/*', status: 404, url: 'http://a/', redirected: false, contentType: '',
      headers: {}, validators: { etag: null, lastModified: null }, body: null, run: 'one' })
    setTimeout(() => console.log('written'), 600)
    setInterval(() => {}, 1000)`
  const running = startProgram(['--input-type=module', '-e', program])
  await running.read(output => output.includes('written'))
  expect(openSiteCache({ folder: site(), maxBytes: 1, sharesArchives: false, warn() {} })).toBeNull()
  await running.end('SIGKILL')
  expect(openCache().findAnswer('http://a/', '*/*')).toMatchObject({ status: 404, run: 'one' })
})

test('a cache can be open only once, and a second attempt does no harm', async () => {
  const cache = openCache()
  expect(openSiteCache({ folder: site(), maxBytes: 1e9, sharesArchives: false, warn() {} })).toBeNull()
  const answer = await store(cache, '', 'hello')
  await cache.close()
  expect(openCache().findAnswer('http://a/', '*/*')).toEqual(answer)
})

test.each<[string, (file: string) => Promise<void>]>([
  ['a file that is not a database', file => writeFile(file, 'this is no database, whatever its name says'.repeat(100))],
  [
    'a database with damaged pages',
    async file => {
      const handle = await openFile(file, 'r+')
      await handle.write(createRandomBytes('damage', 12 * 1024), 0, 12 * 1024, 4 * 1024)
      await handle.close()
    },
  ],
  [
    'another version',
    async file => {
      const database = new Database(file)
      database.pragma('user_version = 99')
      database.close()
    },
  ],
])('%s is replaced by an empty cache', async (_, spoil) => {
  const cache = openCache()
  for (let i = 0; i < 100; i += 1) await store(cache, String(i), `page ${i}`)
  await cache.close()
  await spoil(join(site(), 'memory.db'))
  const again = openCache()
  expect(again.findAnswer('http://a/1', '*/*')).toBeUndefined()
  const answer = await store(again, '1', 'new')
  expect(again.findAnswer('http://a/1', '*/*')).toEqual(answer)
  expect(warnings).toEqual([])
})

test('a cache that has reached its size limit stores nothing more, without an error', async () => {
  const cache = openCache({ maxBytes: 10 })
  await store(cache, 'a', '12345')
  const body = { sha256: sha256('1234567'), sizeBytes: 7 }
  expect(await cache.keepBody(Buffer.from('1234567'), body)).toBe(false)
  await store(cache, 'b', '12345')
  expect(warnings).toEqual([])
})

test('a full cache replaces older exports by the newest', async () => {
  const cache = openCache({ maxBytes: 165 })
  for (const run of ['run-1', 'run-2', 'run-3']) {
    const text = run.repeat(4)
    const answer = await store(cache, 'page', text, run)
    await finish(cache, run)
    expect((await cache.findFinished('options'))?.run).toBe(run)
    expect((await cache.readBody(answer.body ?? { sha256: '', sizeBytes: 0 }))?.toString()).toBe(text)
  }
  expect(warnings).toEqual([])
})

test('a finished export deletes entries that neither it nor another stored export used', async () => {
  const cache = openCache()
  const old = await store(cache, 'old', 'old page', 'one')
  await finish(cache, 'one', 'a')
  await store(cache, 'both', 'a page', 'two')
  await finish(cache, 'two', 'b')
  expect(cache.findAnswer('http://a/old', '*/*')).toEqual(old)
  // This export replaces the first one with the same options.
  await finish(cache, 'three', 'a')
  expect(cache.findAnswer('http://a/old', '*/*')).toBeUndefined()
  expect(cache.findAnswer('http://a/both', '*/*')).toBeDefined()
  const kept = await bodies()
  expect(kept).not.toContain(sha256('old page'))
  expect(kept).not.toContain(sha256('archive of one'))
  expect(kept).toContain(sha256('a page'))
  expect(kept).toContain(sha256('archive of three'))
})

test('a finished export is found again with its archive', async () => {
  const cache = openCache()
  const finished = await finish(cache, 'one')
  await cache.close()
  const again = openCache()
  expect(await again.findFinished('options')).toEqual(finished)
  expect(await again.copyArchive(finished, join(folder, 'again.zip'))).toBe(true)
  expect((await stat(join(folder, 'again.zip'))).size).toBe(finished.sizeBytes)
})

test('a renewed export keeps the entries that it used', async () => {
  const cache = openCache()
  const answer = await store(cache, '', 'hello', 'one')
  await finish(cache, 'one', 'a')
  cache.renew('a', 'two')
  await finish(cache, 'three', 'b')
  expect(cache.findAnswer('http://a/', '*/*')).toEqual({ ...answer, run: 'two' })
})

test.each([
  [true, 2],
  [false, 1],
])('shares archives: %s', async (sharesArchives, links) => {
  const cache = openCache({ sharesArchives })
  await finish(cache, 'one')
  expect((await stat(join(folder, 'one.zip'))).nlink).toBe(links)
})

test('a modified archive is not reused', async () => {
  const cache = openCache({ sharesArchives: true })
  const finished = await finish(cache, 'one')
  await writeFile(join(folder, 'one.zip'), 'ARCHIVE of one')
  expect(await cache.copyArchive(finished, join(folder, 'again.zip'))).toBe(false)
})

test('a cache whose folder was removed warns once and then acts as if it were empty', async () => {
  const cache = openCache()
  await store(cache, '', 'hello')
  await rm(site(), { recursive: true })
  const body = { sha256: sha256('new'), sizeBytes: 3 }
  expect(await cache.keepBody(Buffer.from('new'), body)).toBe(false)
  expect(cache.findAnswer('http://a/', '*/*')).toBeUndefined()
  expect(await cache.keepBody(Buffer.from('new'), body)).toBe(false)
  await cache.close()
  expect(warnings).toHaveLength(1)
  expect(existsSync(site())).toBe(false)
})

test('each site has its own cache, and caches of unknown sites are in the lost folder until the site is known again', async () => {
  const sites = join(folder, 'sites')
  const lost = openLostFolder(folder)
  const caches = openSiteCaches({ folder: sites, maxBytes: 1e9, sharesArchives: true, warn() {} })
  for (const domain of ['a.example', 'b.example', '[::1]:80', '[__1]:80']) await (await caches.open(domain))?.close()
  await writeFile(join(sites, 'notes.txt'), 'of the operator')
  expect(await readdir(sites)).toHaveLength(5)
  await caches.forget('a.example')
  expect((await readdir(sites)).some(name => name.startsWith('a.example'))).toBe(false)
  expect((await sortSiteCaches(sites, lost, ['b.example'])).moved).toHaveLength(2)
  expect(await readdir(sites)).toEqual([expect.stringMatching(/^b\.example-[0-9a-f]{8}$/), 'notes.txt'])
  expect((await sortSiteCaches(sites, lost, ['b.example', '[::1]:80'])).recovered).toHaveLength(1)
  expect([(await readdir(sites)).length, (await readdir(join(folder, 'lost'))).length]).toEqual([3, 1])
})
