import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CachingFetcher, createCachingFetcher } from '../../../server/export/cache/caching-fetcher.ts'
import { defaultLimits, type ExportLimits, totalExceeded } from '../../../server/export/model/limits.ts'
import type { SiteCache } from '../../../server/export/model/site-cache.ts'
import { openSiteCache } from '../../../server/store/site-cache/site-cache.ts'
import { openFetcher } from '../../../server/web/fetch/fetcher.ts'
import { startVersionedSite, type VersionedSite } from './versioned-site.ts'

let folder: string
let cache: SiteCache
let site: VersionedSite
const opened: { close(): Promise<unknown> }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-cache-'))
  cache = openCache()
  site = await startVersionedSite({
    '/a': 'text of a',
    '/b': 'text of b',
    '/old': 'redirect /a',
    '/busy': 'status 503',
    '/wait': 'status 429',
  })
})
afterEach(async () => {
  for (const item of opened.splice(0)) await item.close()
  await site.close()
  await cache.close()
  await rm(folder, { recursive: true, force: true })
})

function openCache(): SiteCache {
  const options = { folder: join(folder, 'site'), maxBytes: 1e9, sharesArchives: false, warn() {} }
  const cache = openSiteCache(options)
  if (!cache) throw new Error('the cache is in use')
  return cache
}

function start(run: string, changes: Partial<ExportLimits> = {}): CachingFetcher {
  const limits = { ...defaultLimits, retries: 0, ...changes }
  const fetcher = openFetcher({
    totalExceeded: () => totalExceeded(limits),
    exempt: site.origin,
    limits,
    signal: new AbortController().signal,
  })
  const caching = createCachingFetcher({ fetcher, cache, run, limits })
  opened.push(caching)
  return caching
}

async function get(fetcher: CachingFetcher, path: string): Promise<string> {
  const answer = await fetcher.open(new URL(path, site.origin))
  return `${answer.status} ${answer.url.pathname} ${(await answer.read(1000)).toString()}`
}

function answered(): string[] {
  return site.answered.splice(0)
}

test('a run does not repeat a request, even after a restart', async () => {
  const first = await get(start('one'), '/a')
  site.files['/a'] = 'changed meanwhile'
  expect([first, await get(start('one'), '/a')]).toEqual(['200 /a text of a', '200 /a text of a'])
  expect(answered()).toEqual(['200 /a'])
})

test('another run makes a conditional request', async () => {
  await get(start('one'), '/a')
  await get(start('one'), '/b')
  site.files['/b'] = 'new text of b'
  const two = start('two')
  expect([await get(two, '/a'), await get(two, '/b')]).toEqual(['200 /a text of a', '200 /b new text of b'])
  expect(answered()).toEqual(['200 /a', '200 /b', '304 /a', '200 /b'])
})

test('a redirect is followed again, and the same tag at another address is another file', async () => {
  expect(await get(start('one'), '/old')).toBe('200 /a text of a')
  expect(await get(start('two'), '/old')).toBe('200 /a text of a')
  expect(answered()).toEqual(['302 /old', '200 /a', '302 /old', '304 /a'])
  Object.assign(site.files, { '/old': 'redirect /c', '/c': 'text of a' })
  expect(await get(start('three'), '/old')).toBe('200 /c text of a')
})

test.each(['/busy', '/wait'])('%s is temporary, so it is requested again', async path => {
  const one = start('one')
  await get(one, path)
  await get(one, path)
  expect(answered()).toHaveLength(2)
})

test('a missing page is cached like any other', async () => {
  const one = start('one')
  expect([await get(one, '/gone'), await get(one, '/gone')]).toEqual(Array(2).fill('404 /gone <h1>Not found</h1>'))
  expect(answered()).toEqual(['404 /gone'])
})

test('a body that was not read is fetched when it is needed later', async () => {
  const one = start('one')
  await (await one.open(new URL('/a', site.origin))).drop()
  await (await one.open(new URL('/a', site.origin))).drop()
  expect(answered()).toEqual(['200 /a'])
  expect(await get(one, '/a')).toBe('200 /a text of a')
  expect(await get(one, '/a')).toBe('200 /a text of a')
  expect(answered()).toEqual(['200 /a'])
})

test('a damaged body is fetched again', async () => {
  await get(start('one'), '/a')
  const [body = ''] = await readdir(join(folder, 'site', 'bodies'))
  await writeFile(join(folder, 'site', 'bodies', body), 'text of x')
  expect(await get(start('one'), '/a')).toBe('200 /a text of a')
  expect(answered()).toEqual(['200 /a', '200 /a'])
})

test('a file is saved from the cache as from the network', async () => {
  const one = start('one')
  for (const name of ['network', 'cache']) {
    const answer = await one.open(new URL('/a', site.origin))
    const saved = await answer.save(join(folder, name), 1000)
    expect([saved.sizeBytes, await readFile(join(folder, name), 'utf8')]).toEqual([9, 'text of a'])
  }
  expect(answered()).toEqual(['200 /a'])
})

test('limits apply to cached bodies as well', async () => {
  await get(start('one'), '/a')
  await get(start('one'), '/b')
  const small = start('one', { totalBytes: 10 })
  expect(await get(small, '/a')).toBe('200 /a text of a')
  await expect(get(small, '/b')).rejects.toMatchObject({ code: 'too_large' })
  const answer = await start('one').open(new URL('/a', site.origin))
  await expect(answer.read(3)).rejects.toMatchObject({ code: 'too_large' })
})

test('all requests are compared, including failed ones', async () => {
  const one = start('one')
  const nowhere = new URL('http://127.0.0.1:1/')
  await get(one, '/a')
  await get(one, '/busy')
  await (await one.open(new URL('/gone', site.origin))).drop()
  await expect(one.open(nowhere)).rejects.toMatchObject({ code: 'forbidden' })
  const compare = async (run: string) => {
    const fetcher = start(run)
    return Promise.all(
      one.asked().map(async asked => [new URL(asked.asked).pathname, await fetcher.isUnchanged(asked)]),
    )
  }
  expect(Object.fromEntries(await compare('two'))).toEqual({ '/a': true, '/busy': true, '/gone': true, '/': true })
  Object.assign(site.files, { '/a': 'other', '/busy': 'fine', '/gone': 'back' })
  expect(Object.fromEntries(await compare('three'))).toEqual({ '/a': false, '/busy': false, '/gone': false, '/': true })
})

test('without tags, bodies are compared by content', async () => {
  const plain = await startVersionedSite({ '/a': 'text of a' }, false)
  opened.push(plain)
  const options = {
    exempt: plain.origin,
    limits: defaultLimits,
    totalExceeded: () => totalExceeded(defaultLimits),
    signal: new AbortController().signal,
  }
  const open = (run: string) => {
    const fetcher = createCachingFetcher({ fetcher: openFetcher(options), cache, run, limits: defaultLimits })
    opened.push(fetcher)
    return fetcher
  }
  const one = open('one')
  await (await one.open(new URL('/a', plain.origin))).read(100)
  const [asked] = one.asked()
  if (!asked) throw new Error('nothing was asked')
  expect(await open('two').isUnchanged(asked)).toBe(true)
  plain.files['/a'] = 'other'
  expect(await open('three').isUnchanged(asked)).toBe(false)
  expect(plain.answered).toEqual(['200 /a', '200 /a', '200 /a'])
})
