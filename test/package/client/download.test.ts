import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { downloadBundle, type ExportProgress, exportSite } from '../../../spec/package/client/node.ts'
import { writing } from '../../../spec/package/client/target-file.ts'
import { createRandomBytes } from '../../support/random.ts'
import { type BundleServer, breakAt, type Send, startBundleServer } from './bundle-server.ts'
import { openScripted } from './scripted-client.ts'

const bytes = createRandomBytes('bundle', 300_000)
const jobId = 'se_1'

let folder: string
let file: string
let server: BundleServer | undefined
beforeEach(() => {
  receivedBytes = 0
  folder = mkdtempSync(join(tmpdir(), 'quire-download-'))
  file = join(folder, 'docs.zip')
})
afterEach(async () => {
  vi.useRealTimers()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

let receivedBytes: number
const onProgress = (progress: { receivedBytes: number }) => {
  receivedBytes = progress.receivedBytes
}
const breakOff = (place: number) => breakAt(bytes, place, () => receivedBytes >= place)

const answer =
  (status: number, headers: Record<string, string> = {}): Send =>
  (_req, res) =>
    res.writeHead(status, headers).end()

test('writes the bundle to the file, without the API key', async () => {
  server = await startBundleServer({ bytes })
  const received: number[] = []
  const options = { onProgress: ({ receivedBytes }: { receivedBytes: number }) => received.push(receivedBytes) }
  expect(await downloadBundle(server.client, { jobId, file }, options)).toMatchObject({ sizeBytes: 300_000 })
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(existsSync(`${file}.part`)).toBe(false)
  expect(server.keys).toEqual([''])
  expect(received.at(-1)).toBe(300_000)
  expect(received).toEqual([...received].sort((a, b) => a - b))
})

test.each<{ given: string; script: Send[]; ranges: string[]; links: number }>([
  {
    given: 'two broken connections',
    script: [breakOff(100_000), breakOff(200_000)],
    ranges: ['', 'bytes=100000-', 'bytes=200000-'],
    links: 1,
  },
  { given: 'an expired link', script: [answer(403)], ranges: ['', ''], links: 2 },
  {
    given: 'a link that expires on the way',
    script: [breakOff(100_000), answer(403)],
    ranges: ['', 'bytes=100000-', 'bytes=100000-'],
    links: 2,
  },
  { given: 'a busy server', script: [answer(503, { 'Retry-After': '0' })], ranges: ['', ''], links: 1 },
  {
    given: 'a server that ignores Range',
    script: [breakOff(100_000), (_req, res) => res.end(bytes)],
    ranges: ['', 'bytes=100000-'],
    links: 1,
  },
  {
    given: 'another range than the one asked for',
    script: [breakOff(100_000), answer(206, { 'Content-Range': 'bytes 5-9/300000' })],
    ranges: ['', 'bytes=100000-', ''],
    links: 1,
  },
])('gets the whole bundle in spite of $given', async ({ script, ranges, links }) => {
  server = await startBundleServer({ bytes, script })
  await downloadBundle(server.client, { jobId, file }, { onProgress })
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(server.ranges).toEqual(ranges)
  expect(server.links()).toBe(links)
})

test('goes on with what an ended process left', async () => {
  writeFileSync(`${file}.part`, bytes.subarray(0, 123_456))
  server = await startBundleServer({ bytes })
  await downloadBundle(server.client, { jobId, file })
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(server.ranges).toEqual(['bytes=123456-'])
})

test.each([
  ['the beginning of another bundle', createRandomBytes('beginning', 1000), ['bytes=1000-', '']],
  ['a larger file', createRandomBytes('larger', 300_001), ['']],
  ['another file of the same size', createRandomBytes('other', 300_000), ['']],
  ['the whole bundle', bytes, []],
])('gets the bundle if %s was left', async (_given, left, ranges) => {
  writeFileSync(`${file}.part`, left)
  server = await startBundleServer({ bytes })
  await downloadBundle(server.client, { jobId, file })
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(server.ranges).toEqual(ranges)
})

test('keeps the old file, and no part, if the bundle has another SHA-256', async () => {
  writeFileSync(file, 'old')
  server = await startBundleServer({ bytes, announce: { sha256: 'f'.repeat(64) } })
  await expect(downloadBundle(server.client, { jobId, file })).rejects.toThrow(
    'The bundle does not have the SHA-256 that the API announced.',
  )
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(existsSync(`${file}.part`)).toBe(false)
})

test('gives up a server that announces more bytes than it has, however often it sends them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sha256 = 'f'.repeat(64)
  const link = { bundleUrl: 'http://bundles.test/a', sizeBytes: 400_000, sha256 }
  const { client } = openScripted([Response.json(link)])
  const ranges: (string | undefined)[] = []
  const send = async (_url: string, { headers }: { headers: Record<string, string> }) => {
    ranges.push(headers.Range)
    return headers.Range ? new Response(null, { status: 416 }) : new Response(new Uint8Array(bytes))
  }
  let isDone = false
  const ended = downloadBundle(client, { jobId, file }, { fetch: send })
    .catch((error: unknown) => error)
    .finally(() => {
      isDone = true
    })
  while (!isDone && ranges.length < 20) {
    await vi.advanceTimersByTimeAsync(10_000)
    await new Promise(setImmediate)
  }
  expect(ranges.length).toBeLessThan(10)
  expect(await ended).toMatchObject({ name: 'QuireError' })
})

test.each([{ sizeBytes: null }, { bundleUrl: 5 }, { sha256: undefined }])('a link with %j is an error', async wrong => {
  const link = { bundleUrl: 'http://bundles.test/a', sizeBytes: 5, sha256: 'f'.repeat(64), ...wrong }
  const { client } = openScripted([Response.json(link)])
  await expect(downloadBundle(client, { jobId, file })).rejects.toThrow(
    'generateStaticExportBundle: the answer 200 does not have the body that the API documents.',
  )
  expect(readdirSync(folder)).toEqual([])
})

test('stops at once if more bytes arrive than announced', async () => {
  const sendForever: Send = (_req, res) => {
    const write = () => {
      while (!res.destroyed && res.write(bytes));
      res.once('drain', write)
    }
    write()
  }
  server = await startBundleServer({ bytes, script: [sendForever] })
  await expect(downloadBundle(server.client, { jobId, file })).rejects.toThrow(
    'The bundle has more than the 300000 bytes that the API announced.',
  )
  expect(existsSync(file)).toBe(false)
  expect(server.ranges).toHaveLength(1)
})

test('an answer that cannot get better ends it with its status', async () => {
  server = await startBundleServer({ bytes, script: [answer(418, { 'X-Request-Id': 'req-1' })] })
  const error = await downloadBundle(server.client, { jobId, file }).catch(thrown => thrown)
  expect(error).toMatchObject({
    status: 418,
    requestId: 'req-1',
    message: 'The link to the bundle was answered 418. (request id req-1)',
  })
  expect(String(error)).not.toContain('/bundle/')
})

test('gives up a connection that brings nothing, and goes on with another', async () => {
  const stalled: ServerResponse[] = []
  const stall: Send = (_req, res) => {
    stalled.push(res)
    res.writeHead(200, { 'Content-Length': bytes.length }).write(bytes.subarray(0, 70_000))
  }
  server = await startBundleServer({ bytes, script: [stall] })
  await downloadBundle(server.client, { jobId, file }, { stallMs: 200 })
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(server.ranges).toEqual(['', 'bytes=70000-'])
  expect(stalled[0]?.destroyed).toBe(true)
})

test('an aborted signal ends it, and the part stays', async () => {
  const abort = new AbortController()
  server = await startBundleServer({ bytes, script: [(_req, res) => void res.write(bytes.subarray(0, 70_000))] })
  const options = { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) }
  await expect(downloadBundle(server.client, { jobId, file }, options)).rejects.toThrow('enough')
  expect(existsSync(`${file}.part`)).toBe(true)
  expect(existsSync(file)).toBe(false)
})

test.each<{ given: string; name: string; prepare?: string; sentence: string }>([
  { given: 'whose folder does not exist', name: 'none/x.zip', sentence: '/none does not exist. Create it, or name' },
  { given: 'that is a folder', name: 'docs', prepare: 'docs', sentence: '/docs is a folder. Name a file in it.' },
  { given: 'with a slash at its end', name: 'none/', sentence: '/none/ is a folder. Name a file in it.' },
  { given: 'below another file', name: 'a.txt/x.zip', sentence: '/a.txt does not exist. Create it, or name' },
  { given: 'whose part is a folder', name: 'x.zip', prepare: 'x.zip.part', sentence: '/x.zip.part is a folder, and' },
])(
  'a file $given is an error before anything is requested, and nothing is left',
  async ({ name, prepare, sentence }) => {
    writeFileSync(join(folder, 'a.txt'), 'a')
    if (prepare) mkdirSync(join(folder, prepare))
    const before = readdirSync(folder)
    server = await startBundleServer({ bytes })
    const target = `${folder}/${name}`
    await expect(downloadBundle(server.client, { jobId, file: target })).rejects.toThrow(sentence)
    await expect(exportSite(server.client, { domain: 'docs.example.com' }, { file: target })).rejects.toThrow(sentence)
    expect([server.links(), server.starts]).toEqual([0, []])
    expect(readdirSync(folder)).toEqual(before)
  },
)

test('an error of the system is a sentence, with its cause', async () => {
  const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const error = await writing('docs.zip.part', () => Promise.reject(cause)).catch(thrown => thrown)
  expect(error).toMatchObject({ message: 'docs.zip.part cannot be written: the disk is full (ENOSPC).', cause })
})

test('a refused job, and a link that brings nothing, leave no file', async () => {
  server = await startBundleServer({ bytes, script: [answer(418)], refusal: 409 })
  await expect(downloadBundle(server.client, { jobId, file })).rejects.toMatchObject({ status: 409 })
  expect(readdirSync(folder)).toEqual([])
  await expect(downloadBundle(server.client, { jobId, file })).rejects.toMatchObject({ status: 418 })
  expect(readdirSync(folder)).toEqual([])
})

test('what an earlier download left stays if the job is refused', async () => {
  writeFileSync(`${file}.part`, bytes.subarray(0, 5))
  server = await startBundleServer({ bytes, refusal: 409 })
  await expect(downloadBundle(server.client, { jobId, file })).rejects.toMatchObject({ status: 409 })
  expect(readFileSync(`${file}.part`).length).toBe(5)
})

test('exportSite starts the job, waits for it, and downloads the bundle', async () => {
  server = await startBundleServer({
    bytes,
    jobs: [
      { status: 'queued' },
      { status: 'running', progress: 50 },
      { status: 'completed', progress: 100, pageCount: 7 },
    ],
  })
  const steps: (string | number)[] = []
  const onProgress = (progress: ExportProgress) =>
    steps.push(progress.step === 'export' ? progress.job.status : progress.receivedBytes)
  const site = { domain: 'docs.example.com', format: 'zip' } as const
  const exported = await exportSite(server.client, site, { file, onProgress, firstWaitMs: 1 })
  expect(exported).toMatchObject({ file, sizeBytes: 300_000, job: { status: 'completed', pageCount: 7 } })
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(steps.slice(0, 3)).toEqual(['queued', 'running', 'completed'])
  expect(steps.at(-1)).toBe(300_000)
  expect(server.starts).toMatchObject([{ body: site, key: expect.stringMatching(/^[\w-]{36}$/) }])
})

test('exportSite throws the reason of a failed export', async () => {
  const error = 'docs.example.com did not answer within 30 seconds.'
  server = await startBundleServer({ bytes, jobs: [{ status: 'failed', error }] })
  await expect(
    exportSite(server.client, { domain: 'docs.example.com' }, { file, idempotencyKey: 'release-1' }),
  ).rejects.toThrow(`getStaticExportJob: the export se_1 failed. ${error}`)
  expect(server.starts[0]?.key).toBe('release-1')
  expect(existsSync(file)).toBe(false)
})
