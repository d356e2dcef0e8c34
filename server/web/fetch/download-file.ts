import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { isDiskFull } from '../../base/disk-full.ts'
import type { Validators } from './answer.ts'
import {
  backoffMs,
  FetchError,
  kindOfError,
  kindOfStatus,
  readRetryAfter,
  toBodyError,
  toFetchError,
} from './fetch-error.ts'
import { maxHeaderBytes } from './guarded-agent.ts'
import { conditions, firstValue, followRedirects } from './request.ts'

export interface DownloadOptions {
  url: URL
  /** Where the file is written. A download that was interrupted goes on there, also in a later process. */
  file: string
  maxBytes: number
  /** The server answers 304 if the file still has these validators. */
  unless: Validators
  /** Attempts after one that brought no byte. */
  retries: number
  /** Time without a byte after which an attempt fails. */
  idleTimeoutMs: number
  signal: AbortSignal
  /** Called before each retry. */
  onRetry?(error: FetchError, waitMs: number): void
  /** For tests. */
  firstRetryMs?: number
}

/** null = the file has not changed. */
export type Download = { sizeBytes: number; sha256: string; validators: Validators } | null

const maxRedirects = 5

/**
 * Downloads a large file. After a failure that may pass, it goes on where it stopped, if the server can prove by a strong ETag that
 * the file is the same (RFC 9110, 13.1.5). The address comes from the operator, so it may be private.
 *
 * @throws {FetchError} with the `status` that a server answered, if it was none of success.
 */
export async function downloadFile(options: DownloadOptions): Promise<Download> {
  const { retries, signal, onRetry, firstRetryMs = 1000, idleTimeoutMs } = options
  const dispatcher = new Agent({
    connect: { timeout: Math.min(idleTimeoutMs, 10_000) },
    headersTimeout: idleTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    bodyTimeout: idleTimeoutMs,
  })
  try {
    for (let failures = 0; ; failures += 1) {
      const before = await sizeOf(options.file)
      const outcome = await tryOnce(options, dispatcher)
      if (!('error' in outcome)) return outcome.download
      const { error, retryAfterMs, isPassing } = outcome
      if ((await sizeOf(options.file)) > before) failures = 0
      if (!isPassing || failures >= retries) throw error
      const waitMs = retryAfterMs ?? backoffMs(failures, firstRetryMs, Math.random())
      onRetry?.(error, waitMs)
      await sleep(waitMs, undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  } finally {
    await dispatcher.destroy()
  }
}

/** Removes a download, finished or not. */
export async function removeDownload(file: string): Promise<void> {
  await rm(noteOf(file), { force: true })
  await rm(file, { force: true })
}

interface Failure {
  error: FetchError
  retryAfterMs: number | null
  isPassing: boolean
}

async function tryOnce(options: DownloadOptions, dispatcher: Dispatcher): Promise<{ download: Download } | Failure> {
  const { url, file, signal, idleTimeoutMs } = options
  try {
    const start = await findStart(file)
    return await followRedirects(url, {
      maxRedirects,
      isExcluded: next => url.protocol === 'https:' && next.protocol !== 'https:',
      request: target => send(target, start, options, dispatcher),
      arrive: (_url, _isRedirected, response) => receive(response, start, options),
    })
  } catch (error) {
    if (isDiskFull(error)) await removeDownload(file)
    const fetchError = toFetchError(error, url, signal, { pageTimeoutMs: idleTimeoutMs })
    if (!(fetchError instanceof FetchError)) throw fetchError
    return { error: fetchError, retryAfterMs: null, isPassing: kindOfError(fetchError) !== null }
  }
}

function send(
  url: URL,
  start: Start,
  { unless, signal }: DownloadOptions,
  dispatcher: Dispatcher,
): Promise<Dispatcher.ResponseData> {
  const resume = start.bytes > 0 && start.etag !== null && { range: `bytes=${start.bytes}-`, 'if-range': start.etag }
  const headers = { accept: '*/*', 'accept-encoding': 'identity', ...(resume || conditions(unless)) }
  return request(url, { dispatcher, signal, headers })
}

async function receive(
  response: Dispatcher.ResponseData,
  start: Start,
  options: DownloadOptions,
): Promise<{ download: Download } | Failure> {
  const { statusCode: status, headers, body } = response
  const drop = () => body.dump({ limit: 64 * 1024 }).catch(() => {})
  if (status === 304) {
    await drop()
    return { download: null }
  }
  const validators = {
    etag: firstValue(headers.etag) ?? null,
    lastModified: firstValue(headers['last-modified']) ?? null,
  }
  const total = /^bytes \*\/(\d+)$/.exec(firstValue(headers['content-range']) ?? '')?.[1]
  if (status === 416 && start.bytes > 0) {
    await drop()
    // The whole file was there when the last process ended.
    if (Number(total) === start.bytes) return { download: await finish(options.file, start) }
    await removeDownload(options.file)
    return failWith(status, null, true)
  }
  if (status !== 200 && status !== 206) {
    await drop()
    const retryAfterMs = readRetryAfter(firstValue(headers['retry-after']), Date.now())
    return failWith(status, retryAfterMs, kindOfStatus(status, retryAfterMs) !== null)
  }
  const at = readPosition(status, firstValue(headers['content-range']))
  if (at !== 0 && at !== start.bytes)
    throw new FetchError('network', 'the server sent another part than it was asked for')
  await writeBody(response, at, validators, options)
  return { download: await finish(options.file, validators) }
}

/** Returns where the sent part begins. */
function readPosition(status: number, contentRange: string | undefined): number {
  return status === 200 ? 0 : Number(/^bytes (\d+)-/.exec(contentRange ?? '')?.[1] ?? Number.NaN)
}

async function writeBody(
  { body, headers }: Dispatcher.ResponseData,
  at: number,
  { etag, lastModified }: Validators,
  { url, file, maxBytes, idleTimeoutMs, signal }: DownloadOptions,
): Promise<void> {
  const length = Number(firstValue(headers['content-length']) ?? Number.NaN)
  const tooLarge = () => new FetchError('too_large', `the file is larger than ${Math.floor(maxBytes / 1024 ** 2)} MB`)
  if (at + length > maxBytes) throw tooLarge()
  if (at === 0) {
    await removeDownload(file)
    // Written first: bytes without a note are never continued.
    if (isStrong(etag)) await writeFile(noteOf(file), JSON.stringify({ etag, lastModified }))
  }
  let bytes = at
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > maxBytes ? tooLarge() : null, chunk)
    },
  })
  await pipeline(body, count, createWriteStream(file, { flags: at === 0 ? 'wx' : 'a' }), { signal }).catch(error => {
    throw toBodyError(toFetchError(error, url, signal, { pageTimeoutMs: idleTimeoutMs }), url)
  })
  if (!Number.isNaN(length) && bytes !== at + length) throw new FetchError('network', 'the answer ended early')
}

/** Where a download goes on. */
interface Start extends Validators {
  bytes: number
}

async function findStart(file: string): Promise<Start> {
  const bytes = await sizeOf(file)
  const note = bytes === 0 ? null : await readNote(file)
  return note ? { bytes, ...note } : { bytes: 0, etag: null, lastModified: null }
}

async function readNote(file: string): Promise<Validators | null> {
  try {
    const { etag, lastModified } = JSON.parse(await readFile(noteOf(file), 'utf8')) as Validators
    return isStrong(etag) ? { etag, lastModified } : null
  } catch {
    return null
  }
}

async function finish(file: string, { etag, lastModified }: Validators): Promise<NonNullable<Download>> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    hash.update(chunk as Buffer)
    sizeBytes += (chunk as Buffer).length
  }
  return { sizeBytes, sha256: hash.digest('hex'), validators: { etag, lastModified } }
}

function failWith(status: number, retryAfterMs: number | null, isPassing: boolean): Failure {
  const error = new FetchError('network', `status ${status}`)
  error.status = status
  return { error, retryAfterMs, isPassing }
}

function isStrong(etag: string | null): etag is string {
  return typeof etag === 'string' && etag.startsWith('"')
}

function noteOf(file: string): string {
  return `${file}.json`
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0
}
