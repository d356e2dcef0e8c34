import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rollBack } from '../../server/host/rollback.ts'
import { createUpdater, type UpdateSettings } from '../../server/host/updater.ts'
import { type HostFolder, openHostFolder } from '../../server/host/versions/host-folder.ts'
import type { Version } from '../../server/host/versions/version.ts'
import { defaultUnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { makeSite, pageText } from './make-site.ts'

const signal = new AbortController().signal
let folder: HostFolder
let served: string[]
let clock: number
let bundleFile: string

beforeEach(async () => {
  const path = mkdtempSync(join(tmpdir(), 'quire-updater-'))
  folder = await openHostFolder(path)
  bundleFile = join(path, 'docs.zip')
  served = []
  clock = 1
})
afterEach(() => rmSync(folder.path, { recursive: true, force: true }))

function open(settings: Partial<UpdateSettings> = {}) {
  return createUpdater({
    folder,
    now: () => clock++,
    activate: ({ label, id }: Version) => void served.push(label ?? id),
    log: { info() {}, warn() {} },
    settings: {
      source: { kind: 'file', path: bundleFile },
      label: null,
      sha256: null,
      trusted: null,
      allowDowngrade: false,
      maxBundleBytes: 1e8,
      unpackLimits: defaultUnpackLimits,
      retries: 0,
      idleTimeoutMs: 5000,
      threads: 0,
      keepVersions: 3,
      ...settings,
    },
  })
}

/** Replaces the bundle, as an operator does. Its time changes in any case. */
function offer(version: string, bytes = makeSite({ version })): string {
  writeFileSync(bundleFile, bytes)
  utimesSync(bundleFile, clock, clock++)
  return createHash('sha256').update(bytes).digest('hex')
}

const labels = async () => (await folder.list()).map(({ label }) => label)

describe('a bundle', () => {
  test('becomes a complete version with compressed files, and is served', async () => {
    const sha256 = offer('v1')
    expect(await open({ threads: 1 }).update(signal)).toBe('switched')
    const [version] = await folder.list()
    expect(version).toMatchObject({
      id: sha256.slice(0, 16),
      sha256,
      label: 'v1',
      files: 6,
      pages: 2,
      domain: 'docs.example.com',
    })
    const read = (path: string) => readFileSync(join(folder.pathOf(version?.id ?? ''), path))
    const page = pageText('v1', 'home')
    expect(read('files/index.html').toString()).toBe(page)
    expect(brotliDecompressSync(read('br/index.html')).toString()).toBe(page)
    expect(gunzipSync(read('gzip/index.html')).toString()).toBe(page)
    expect(existsSync(join(folder.pathOf(version?.id ?? ''), 'br/export-report.json'))).toBe(false)
    expect([await folder.readState(), served]).toMatchObject([{ current: version?.id }, ['v1']])
    expect(readdirSync(join(folder.path, 'incoming'))).toEqual([])
  })

  test('that did not change is not read again', async () => {
    offer('v1')
    const updater = open()
    await updater.update(signal)
    expect(await updater.update(signal)).toBe('unchanged')
    expect(await open().update(signal)).toBe('unchanged')
    expect(await labels()).toEqual(['v1'])
  })

  test('that comes back is served from the disk', async () => {
    const updater = open()
    for (const version of ['v1', 'v2', 'v1']) {
      offer(version)
      await updater.update(signal)
    }
    expect([served, await labels()]).toEqual([
      ['v1', 'v2', 'v1'],
      ['v2', 'v1'],
    ])
    expect(await updater.update(signal)).toBe('unchanged')
  })

  test('removes the oldest ones', async () => {
    const updater = open({ keepVersions: 2 })
    for (const version of ['v1', 'v2', 'v3', 'v4']) {
      offer(version)
      await updater.update(signal)
    }
    expect(await labels()).toEqual(['v4', 'v3'])
  })
})

describe('a bad bundle changes nothing', () => {
  const sha256 = 'ab'.repeat(32)
  test.each<[string, Buffer, Partial<UpdateSettings>, RegExp]>([
    ['is damaged', makeSite({ version: 'v2' }).subarray(0, 900), {}, /damaged or not complete/],
    ['leads out of the folder', makeSite({ version: 'v2', more: [{ name: '../x' }] }), {}, /leads out of the folder/],
    ['has no first page', Buffer.from('PK\x05\x06'.padEnd(22, '\0')), {}, /has no index\.html at its top/],
    ['has another SHA-256', makeSite({ version: 'v2' }), { sha256 }, /has the SHA-256 \w+, and --sha256 asks for abab/],
    [
      'has another version',
      makeSite({ version: 'v2' }),
      { label: 'v3' },
      /has the version "v2", and --version asks for "v3"/,
    ],
    ['is too large', makeSite({ version: 'v2' }), { maxBundleBytes: 100 }, /larger than 0 MB\. Raise --max-bundle-mb/],
  ])('that %s', async (_, bytes, settings, message) => {
    offer('v1')
    await open().update(signal)
    offer('v2', bytes)
    const updater = open(settings)
    await expect(updater.update(signal)).rejects.toThrow(message)
    // It is not unpacked again, and the reason is said again.
    await expect(updater.update(signal)).rejects.toThrow(message)
    expect([await labels(), (await open().findFirst())?.label]).toEqual([['v1'], 'v1'])
    expect(readdirSync(join(folder.path, 'incoming'))).toEqual([])
  })

  test('that is missing', async () => {
    await expect(open().update(signal)).rejects.toThrow(/There is no bundle at .*docs\.zip\./)
  })
})

describe('at start', () => {
  beforeEach(async () => {
    for (const version of ['v1', 'v2']) {
      offer(version)
      await open().update(signal)
    }
  })
  const first = async (label: string | null = null) => (await open({ label }).findFirst())?.label

  test('the current version is served', async () => expect(await first()).toBe('v2'))

  test('with a label, the version that has it', async () => {
    expect([await first('v1'), await first('v9')]).toEqual(['v1', 'v2'])
  })

  test('without a readable state, the newest one', async () => {
    writeFileSync(join(folder.path, 'state.json'), '{"curr')
    expect(await first()).toBe('v2')
  })

  test('a version without its files or its description does not count', async () => {
    const [newest, oldest] = await folder.list()
    rmSync(join(folder.pathOf(newest?.id ?? ''), 'files'), { recursive: true })
    expect(await first()).toBe('v1')
    writeFileSync(join(folder.pathOf(oldest?.id ?? ''), 'version.json'), '')
    expect(await first()).toBeUndefined()
  })

  test('a SHA-256 that is on the disk is served without its source', async () => {
    const sha256 = (await folder.list())[1]?.sha256 ?? ''
    rmSync(bundleFile)
    expect(await open({ sha256 }).update(signal)).toBe('switched')
    expect(served.at(-1)).toBe('v1')
  })
})

describe('a rollback', () => {
  beforeEach(async () => {
    for (const version of ['v1', 'v2', 'v3']) {
      offer(version)
      await open().update(signal)
    }
  })
  const current = async () => (await open().findFirst())?.label

  test('serves the version before, and holds the newer one although it is still offered', async () => {
    expect((await rollBack(folder, undefined)).to.label).toBe('v2')
    expect(await open().update(signal)).toBe('held')
    expect(await current()).toBe('v2')
    offer('v4')
    expect(await open().update(signal)).toBe('switched')
    expect(await current()).toBe('v4')
  })

  test('to a named version holds all newer ones, and naming one of them serves it again', async () => {
    await rollBack(folder, 'v1')
    expect((await folder.readState()).held).toHaveLength(2)
    await rollBack(folder, (await folder.list())[0]?.id)
    expect([await current(), (await folder.readState()).held]).toEqual(['v3', []])
    expect(await open().update(signal)).toBe('unchanged')
  })

  test.each([
    ['v9', 'No kept version has the id or the label "v9". npx quire host list shows those that are kept.'],
    [undefined, 'There is no earlier version. npx quire host list shows those that are kept.'],
  ])('to %j is refused', async (wanted, message) => {
    await rollBack(folder, 'v1')
    await expect(rollBack(folder, wanted)).rejects.toThrow(message)
    expect(await current()).toBe('v1')
  })
})

describe('a link', () => {
  let server: RunningServer
  let status: number
  let requests: (string | undefined)[]
  const bytes = makeSite({ version: 'v1' })
  beforeEach(async () => {
    status = 200
    requests = []
    server = await startServer((req, res) => {
      requests.push(req.headers['if-none-match'])
      if (status !== 200) return res.writeHead(status).end()
      if (req.headers['if-none-match'] === '"one"') return res.writeHead(304).end()
      return res.writeHead(200, { etag: '"one"' }).end(bytes)
    })
  })
  afterEach(() => server.close())
  const link = (query: string, settings: Partial<UpdateSettings> = {}) =>
    open({ source: { kind: 'url', url: new URL(`${server.origin}docs.zip?signature=${query}`) }, ...settings })

  test('is asked with the ETag, also when its signature is another one', async () => {
    await link('a').update(signal)
    expect(await link('b').update(signal)).toBe('unchanged')
    expect(requests).toEqual([undefined, '"one"'])
  })

  test('that has expired says so, and no secret is written anywhere', async () => {
    await link('secret').update(signal)
    status = 403
    const error = await link('secret')
      .update(signal)
      .catch(error => error)
    expect(error.message).toBe(
      `${server.origin.host} refuses the link of the bundle (status 403): it has expired or is wrong. Get a new link.`,
    )
    const texts = (readdirSync(folder.path, { recursive: true, withFileTypes: true }) ?? [])
      .filter(entry => entry.isFile() && entry.name.endsWith('.json'))
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    expect(texts.join()).not.toMatch(/secret|docs\.zip/)
  })

  test('to a bad bundle is asked with its ETag, and the reason is said again', async () => {
    const updater = link('a', { label: 'v9' })
    for (let round = 0; round < 2; round += 1)
      await expect(updater.update(signal)).rejects.toThrow('--version asks for')
    expect(requests).toEqual([undefined, '"one"'])
  })

  test('to a server that is down says so', async () => {
    await server.close()
    await expect(link('a').update(signal)).rejects.toThrow(
      /^The bundle could not be fetched from 127\.0\.0\.1:\d+: no server listens/,
    )
  })
})
