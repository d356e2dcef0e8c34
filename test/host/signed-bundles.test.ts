import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signArchive } from '../../server/base/signature.ts'
import { createUpdater, type UpdateSettings } from '../../server/host/updater.ts'
import { type HostFolder, openHostFolder } from '../../server/host/versions/host-folder.ts'
import { defaultUnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { makeKeyPair, trust } from '../support/signing-keys.ts'
import { makeSite } from './make-site.ts'

const signal = new AbortController().signal
const [mine, next, other] = [makeKeyPair(), makeKeyPair(), makeKeyPair()]
let folder: HostFolder
let served: string[]
let clock = 1

beforeEach(async () => {
  folder = await openHostFolder(mkdtempSync(join(tmpdir(), 'quire-signed-host-')))
  served = []
})
afterEach(() => rmSync(folder.path, { recursive: true, force: true }))

function open(settings: Partial<UpdateSettings>) {
  return createUpdater({
    folder,
    now: () => clock++,
    activate: async ({ label, id }) => void served.push(label ?? id),
    log: { info() {}, warn() {} },
    settings: {
      source: { kind: 'file', path: join(folder.path, 'docs.zip') },
      label: null,
      sha256: null,
      trusted: trust(mine),
      allowDowngrade: false,
      maxBundleBytes: 1e8,
      unpackLimits: defaultUnpackLimits,
      retries: 0,
      idleTimeoutMs: 5000,
      threads: 0,
      keepVersions: 5,
      ...settings,
    },
  })
}

const day = (number: number) => Date.UTC(2026, 10, number)

function signSite(version: string, at: number, pair = mine) {
  const bytes = makeSite({ version })
  const archive = { sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length }
  return { bytes, signature: signArchive(archive, at, pair.key) }
}

type SignedSite = ReturnType<typeof signSite>

function offer({ bytes, signature }: SignedSite): void {
  writeFileSync(join(folder.path, 'docs.zip'), bytes)
  writeFileSync(join(folder.path, 'docs.zip.sig'), `${signature}\n`)
}

/** Offers v2, as it is or spoiled, while v1 is served. */
async function offerAfterV1(spoil: (site: SignedSite) => SignedSite, settings: Partial<UpdateSettings> = {}) {
  offer(signSite('v1', day(1)))
  const updater = open(settings)
  await updater.update(signal)
  offer(spoil(signSite('v2', day(2))))
  return updater
}

test('a signed bundle is served, and its signature is kept with the version', async () => {
  const updater = await offerAfterV1(site => site)
  expect(await updater.update(signal)).toBe('switched')
  expect(served).toEqual(['v1', 'v2'])
  expect((await folder.list()).map(({ signature }) => JSON.parse(signature ?? '').signedAt.slice(0, 10))).toEqual([
    '2026-11-02',
    '2026-11-01',
  ])
})

describe('the last good version goes on being served, and the error says why, when the bundle', () => {
  test.each<[string, (site: SignedSite) => SignedSite, RegExp]>([
    [
      'is not signed',
      ({ bytes }) => ({ bytes, signature: '' }),
      /The bundle is not signed: there is no .*docs\.zip\.sig/,
    ],
    [
      'was changed by one bit',
      ({ bytes, signature }) => ({ bytes: flip(bytes), signature }),
      /is not the archive that was signed at 2026-11-02/,
    ],
    [
      'has the signature of another version',
      ({ bytes }) => ({ bytes, signature: signSite('v3', day(3)).signature }),
      /is not the archive that was signed at 2026-11-03/,
    ],
    [
      'is signed with another key',
      () => signSite('v2', day(2), other),
      /signed with the key [0-9a-f]{16}, which is not trusted/,
    ],
    [
      'was signed before it',
      () => signSite('v0', day(1) - 1),
      /signed at 2026-10-31T23:59:59.999Z, before the one that is served \(2026-11-01/,
    ],
  ])('%s', async (_, spoil, reason) => {
    const updater = await offerAfterV1(spoil)
    for (const _again of [1, 2]) await expect(updater.update(signal)).rejects.toThrow(reason)
    expect([served, (await folder.list()).map(({ label }) => label)]).toEqual([['v1'], ['v1']])
    expect((await open({}).findFirst())?.label).toBe('v1')
    // It is served as soon as it is right.
    offer(signSite('v2', day(2)))
    expect(await updater.update(signal)).toBe('switched')
  })
})

function flip(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  // The date of the first file, which no reader sees.
  changed[10] = (changed[10] ?? 0) ^ 1
  return changed
}

test('an older bundle is served with --allow-downgrade', async () => {
  const updater = await offerAfterV1(() => signSite('v0', day(0)), { allowDowngrade: true })
  expect(await updater.update(signal)).toBe('switched')
  expect(served).toEqual(['v1', 'v0'])
})

test('versions that were unpacked before keys were trusted are not served', async () => {
  offer(signSite('v1', day(1)))
  await open({ trusted: null }).update(signal)
  expect(await open({}).findFirst()).toBe(null)
  // The same archive is fetched again, and counts from then on.
  expect(await open({}).update(signal)).toBe('unchanged')
  expect((await open({}).findFirst())?.label).toBe('v1')
})

test('keys are rotated without an interruption', async () => {
  offer(signSite('v1', day(1)))
  await open({ trusted: trust(mine) }).update(signal)
  // 1. The hosts trust both keys. 2. The same archive is signed with the next key. 3. The hosts trust only that one.
  const both = open({ trusted: trust(mine, next) })
  expect(await both.update(signal)).toBe('unchanged')
  offer(signSite('v1', day(2), next))
  expect(await both.update(signal)).toBe('unchanged')
  const after = open({ trusted: trust(next) })
  expect((await after.findFirst())?.label).toBe('v1')
  // A bundle of the old key is refused from then on.
  offer(signSite('v2', day(3), mine))
  await expect(after.update(signal)).rejects.toThrow(/which is not trusted/)
})

describe('over HTTP', () => {
  let server: RunningServer
  let site: SignedSite
  let hasHeader: boolean
  const asked: string[] = []
  beforeEach(async () => {
    hasHeader = true
    asked.length = 0
    site = signSite('v1', day(1))
    server = await startServer(({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      if (url === '/docs.zip.sig?t=1') return void response.end(`${site.signature}\n`)
      if (url !== '/docs.zip?t=1') return void response.writeHead(403).end()
      if (hasHeader) response.setHeader('Quire-Signature', site.signature)
      response.end(method === 'HEAD' ? undefined : site.bytes)
    })
  })
  afterEach(() => server.close())
  const source = (path: string) => ({ kind: 'url' as const, url: new URL(path, server.origin) })

  test('the signature is in a header of the link, and comes before the download', async () => {
    const updater = open({ source: source('/docs.zip?t=1') })
    expect(await updater.update(signal)).toBe('switched')
    expect(await updater.update(signal)).toBe('unchanged')
    expect(asked).toEqual(['HEAD /docs.zip?t=1', 'GET /docs.zip?t=1', 'HEAD /docs.zip?t=1'])
  })

  test('or in a file beside the bundle', async () => {
    hasHeader = false
    expect(await open({ source: source('/docs.zip?t=1') }).update(signal)).toBe('switched')
    expect(asked.slice(0, 2)).toEqual(['HEAD /docs.zip?t=1', 'GET /docs.zip.sig?t=1'])
  })

  test('an untrusted bundle is not downloaded', async () => {
    await expect(open({ source: source('/docs.zip?t=1'), trusted: trust(other) }).update(signal)).rejects.toThrow(
      /not trusted/,
    )
    expect(asked).toEqual(['HEAD /docs.zip?t=1'])
  })

  test('a link that has expired says so', async () => {
    await expect(open({ source: source('/gone.zip') }).update(signal)).rejects.toThrow(
      /^127\.0\.0\.1:\d+ refuses the link of the bundle \(status 403\): it has expired or is wrong\. Get a new link\.$/,
    )
  })
})
