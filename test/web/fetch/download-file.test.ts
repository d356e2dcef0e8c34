import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DownloadOptions, downloadFile } from '../../../server/web/fetch/download-file.ts'
import { FetchError } from '../../../server/web/fetch/fetch-error.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'
import { createRandomBytes } from '../../support/random.ts'

const content = createRandomBytes('download', 300_000)
const sha256 = createHash('sha256').update(content).digest('hex')
const etag = '"v1"'

type Step = (req: IncomingMessage, res: ServerResponse) => void

let folder: string
let server: RunningServer
let steps: Step[]
let seen: IncomingMessage['headers'][]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-download-'))
  seen = []
  steps = []
  server = await startServer((req, res) => {
    seen.push(req.headers)
    const step = steps.shift() ?? whole
    step(req, res)
  })
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

function download(options: Partial<DownloadOptions> = {}) {
  return downloadFile({
    url: server.origin,
    file: join(folder, 'file'),
    maxBytes: 1e6,
    unless: { etag: null, lastModified: null },
    retries: 2,
    idleTimeoutMs: 5000,
    firstRetryMs: 1,
    signal: new AbortController().signal,
    ...options,
  })
}

const whole: Step = (_req, res) => res.writeHead(200, { etag, 'content-length': content.length }).end(content)
const rest: Step = (req, res) => {
  const first = Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1])
  const part = content.subarray(first)
  const range = `bytes ${first}-${content.length - 1}/${content.length}`
  res.writeHead(206, { etag, 'content-range': range, 'content-length': part.length }).end(part)
}
/** Cuts the connection when the file has so many bytes. */
function cutAt(bytes: number, res: ServerResponse): void {
  const file = join(folder, 'file')
  const timer = setInterval(() => {
    if (!existsSync(file) || statSync(file).size < bytes) return
    clearInterval(timer)
    res.destroy()
  }, 5)
}
/** Sends some bytes and cuts the connection. */
const cutAfter =
  (bytes: number, tag: string | null = etag): Step =>
  (_req, res) => {
    res.writeHead(200, { ...(tag !== null && { etag: tag }), 'content-length': content.length })
    res.write(content.subarray(0, bytes))
    cutAt(bytes, res)
  }
const answer =
  (status: number, headers = {}): Step =>
  (_req, res) =>
    res.writeHead(status, headers).end('no')

const read = () => readFileSync(join(folder, 'file'))

test('a file is downloaded without compression, with its validators', async () => {
  expect(await download()).toEqual({ sizeBytes: 300_000, sha256, validators: { etag, lastModified: null } })
  expect(seen).toEqual([expect.objectContaining({ 'accept-encoding': 'identity' })])
  expect(read().equals(content)).toBe(true)
})

test('a download that was cut goes on where it stopped, more often than it may fail without progress', async () => {
  const cutAgain =
    (bytes: number): Step =>
    (req, res) => {
      const first = Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1])
      res.writeHead(206, { etag, 'content-range': `bytes ${first}-299999/300000` })
      res.write(content.subarray(first, first + bytes))
      cutAt(first + bytes, res)
    }
  steps = [cutAfter(70_000), cutAgain(70_000), cutAgain(70_000), cutAgain(10_000), rest]
  expect(await download({ retries: 1 })).toMatchObject({ sha256 })
  expect(seen.map(({ range, 'if-range': condition }) => [range, condition])).toEqual([
    [undefined, undefined],
    ['bytes=70000-', etag],
    ['bytes=140000-', etag],
    ['bytes=210000-', etag],
    ['bytes=220000-', etag],
  ])
})

test('a later process goes on too; if the file changed, it begins again', async () => {
  steps = [cutAfter(70_000)]
  await expect(download({ retries: 0 })).rejects.toThrow('ended early')
  expect(await download()).toMatchObject({ sha256 })
  expect(seen.at(-1)?.range).toBe('bytes=70000-')
})

test('a whole file that was not reported any more is not fetched twice', async () => {
  await download()
  steps = [answer(416, { 'content-range': 'bytes */300000' })]
  expect(await download()).toMatchObject({ sha256 })
  expect(seen).toHaveLength(2)
})

test.each([
  ['no ETag', null],
  ['a weak ETag', 'W/"v1"'],
])('with %s it begins again, because the file may be another one', async (_, tag) => {
  steps = [cutAfter(70_000, tag)]
  expect(await download()).toMatchObject({ sha256 })
  expect(seen.map(({ range }) => range)).toEqual([undefined, undefined])
})

test('a file that is unchanged is not downloaded', async () => {
  steps = [answer(304)]
  expect(await download({ unless: { etag, lastModified: null } })).toBeNull()
  expect(seen[0]?.['if-none-match']).toBe(etag)
})

test('failures that may pass are retried, with the wait that the server asks for', async () => {
  steps = [answer(503, { 'retry-after': '0' }), answer(500), whole]
  const waits: number[] = []
  expect(await download({ onRetry: (_error, waitMs) => waits.push(waitMs) })).toMatchObject({ sha256 })
  expect(waits).toHaveLength(2)
  expect(waits[0]).toBe(0)
})

test.each([403, 404, 410, 401])('a %i is not retried', async status => {
  steps = [answer(status)]
  const error = await download().catch(error => error)
  expect(error).toBeInstanceOf(FetchError)
  expect([error.status, seen.length]).toEqual([status, 1])
})

test('the last failure is thrown when no retry is left', async () => {
  steps = [answer(502), answer(502), answer(502), whole]
  await expect(download()).rejects.toThrow('status 502')
  expect(seen).toHaveLength(3)
})

test.each<[string, Step]>([
  ['announced', whole],
  ['not announced', (_req, res) => res.writeHead(200).end(content)],
])('a file that is too large is refused, if its size is %s', async (_, step) => {
  steps = [step]
  await expect(download({ maxBytes: 100_000 })).rejects.toMatchObject({ code: 'too_large' })
  expect(seen).toHaveLength(1)
})

test('redirects are followed', async () => {
  steps = [answer(302, { location: '/elsewhere' })]
  expect(await download()).toMatchObject({ sha256 })
  expect(server.requests).toEqual(['/', '/elsewhere'])
})

test('a part that nobody asked for is not written', async () => {
  steps = [(_req, res) => res.writeHead(206, { 'content-range': 'bytes 5-9/300000', 'content-length': 5 }).end('later')]
  await expect(download({ retries: 0 })).rejects.toThrow('another part')
  expect(existsSync(join(folder, 'file'))).toBe(false)
})

test('an abort ends the download at once, and what is there stays', async () => {
  const stopping = new AbortController()
  steps = [
    (_req, res) => {
      res.writeHead(200, { etag, 'content-length': content.length })
      res.write(content.subarray(0, 70_000), () => setTimeout(() => stopping.abort(new Error('stopped')), 100))
    },
  ]
  await expect(download({ signal: stopping.signal })).rejects.toThrow('stopped')
  expect(read().length).toBe(70_000)
})

test('an answer with too many headers fails without a retry', async () => {
  steps = Array(3).fill((_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(200, { 'x-a': 'a'.repeat(20_000) }).end()
  })
  await expect(download()).rejects.toThrow(/^the headers of the answer of .* are larger than 16 KB$/)
  expect(seen).toHaveLength(1)
})
