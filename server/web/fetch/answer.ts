import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Duplex, pipeline, Readable, promises as streams } from 'node:stream'
import zlib from 'node:zlib'
import type { Dispatcher } from 'undici'
import { describeBytes } from '../../base/format-bytes.ts'
import { FetchError } from './fetch-error.ts'

/** Values that detect whether a file has changed since it was fetched (RFC 9110, 8.8). */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

/** A response whose body must still be read or dropped. */
export interface Answer {
  /** The address after redirects, without fragment. */
  url: URL
  status: number
  /** The media type in lower case, without parameters; '' = none. */
  type: string
  contentType: string
  /** Only the headers that describe the content, see `lastingHeaders`. */
  headers: Record<string, string>
  validators: Validators
  redirected: boolean
  /** Reads the decompressed body. Throws FetchError 'too_large' if it is longer than `maxBytes`. */
  read(maxBytes: number): Promise<Buffer>
  /** Writes the decompressed body to a file. */
  save(file: string, maxBytes: number): Promise<{ sizeBytes: number; sha256: string }>
  /** Reads and hashes the body without storing it. */
  hash(maxBytes: number): Promise<{ sizeBytes: number; sha256: string }>
  drop(): Promise<void>
}

interface AnswerSource {
  url: URL
  isRedirected: boolean
  status: number
  /** The first value of each header. */
  headers: Record<string, string>
  body: Dispatcher.ResponseData['body']
  /** Called with the length of each decompressed chunk. Throws if all answers together are too large. */
  countBytes(bytes: number): void
  /** Converts an error of the connection or the decompression into the error to throw. */
  explain(error: unknown): unknown
  /** Called after the body was read or dropped. */
  onEnd(): void
}

/** Creates the answer for a response. If the type is missing, checks the body to detect a page. */
export async function openAnswer(source: AnswerSource): Promise<Answer> {
  const { url, isRedirected, status, headers, explain } = source
  const body = createBodyReader(source)
  const contentType = (status === 200 ? await sniffType(body, headers, url) : null) ?? headers['content-type'] ?? ''
  return {
    url,
    status,
    type: contentType.split(';')[0]?.trim().toLowerCase() ?? '',
    contentType,
    headers: lastingHeaders(headers),
    validators: readValidators(headers),
    redirected: isRedirected,
    async read(maxBytes) {
      const chunks: Buffer[] = []
      for await (const chunk of body.chunks(maxBytes)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    async save(file, maxBytes) {
      const meter = createMeter()
      try {
        await streams.pipeline(meter.pass(body.chunks(maxBytes)), createWriteStream(file))
      } catch (error) {
        throw explain(error)
      }
      return meter.result()
    },
    async hash(maxBytes) {
      const meter = createMeter()
      for await (const chunk of body.chunks(maxBytes)) meter.add(chunk)
      return meter.result()
    },
    drop: () => body.drop(),
  }
}

/** Counts and hashes chunks. */
function createMeter() {
  const hash = createHash('sha256')
  let sizeBytes = 0
  function add(chunk: Buffer): void {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return {
    add,
    async *pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        add(chunk)
        yield chunk
      }
    },
    result: () => ({ sizeBytes, sha256: hash.digest('hex') }),
  }
}

/** Secrets, and headers about the transport or one answer only. These headers change although the content does not. */
const unrelated =
  /^(age|alt-svc|cache-control|connection|content-encoding|content-length|date|etag|expires|keep-alive|last-modified|link|nel|priority|proxy-.*|report-to|reporting-endpoints|server|server-timing|set-cookie|strict-transport-security|trailer|transfer-encoding|vary|via|warning|x-amz-.*|x-cache.*|x-powered-by|x-ratelimit-.*|x-runtime|x-served-by|x-timer|cf-.*|.*-ray|.*(request|trace|correlation)-?id)$/

/** A file may change twice within one second, the resolution of Last-Modified (RFC 9110, 8.8.2.2). */
const settledMs = 2000

/** Returns the headers that describe the content, sorted by name. A page in a browser may depend on them. */
export function lastingHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !unrelated.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

export function readValidators(headers: Record<string, string>): Validators {
  const { etag = null, 'last-modified': lastModified = null, date } = headers
  const isSettled = lastModified !== null && Date.parse(date ?? '') - Date.parse(lastModified) >= settledMs
  return { etag, lastModified: isSettled ? lastModified : null }
}

/** Number of bytes checked at the start of a body (WHATWG MIME Sniffing, 5.2). */
const sniffedBytes = 1445

const tags = 'html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p'
const html = new RegExp(`^[\\t\\n\\f\\r ]*<(?:!doctype html[ >]|(?:${tags})[ >]|!--)`, 'i')

/**
 * Decides whether the body of an answer is checked to detect a page: the type is missing or unknown, and the server does not
 * forbid the check (WHATWG MIME Sniffing, 7). Servers without a type for a page send `application/octet-stream`.
 */
export function isSniffed(headers: Record<string, string>, { pathname }: Pick<URL, 'pathname'>): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const mayBePage = /(?:\.x?html?|\/[^/.]*)$/i.test(pathname)
  const isUnknown =
    ['', '*/*', 'unknown/unknown', 'application/unknown'].includes(type) ||
    (mayBePage && /^(?:application|binary)\/octet-stream$/.test(type))
  // The first of several values applies (Fetch, determine nosniff).
  const options = headers['x-content-type-options']?.split(',')[0]?.trim().toLowerCase()
  return isUnknown && options !== 'nosniff'
}

/** Decides whether a body that starts with these bytes is a page (WHATWG MIME Sniffing, 7.1). */
export function looksLikeHtml(start: Buffer): boolean {
  return html.test(start.subarray(0, sniffedBytes).toString('latin1'))
}

/** Returns the type that the body of an answer has, if it is another than the server says; otherwise null. */
async function sniffType(body: BodyReader, headers: Record<string, string>, url: URL): Promise<string | null> {
  if (isSniffed(headers, url)) return looksLikeHtml(await body.peek(sniffedBytes)) ? 'text/html' : null
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '')
  // Browsers show a picture whatever its type is.
  return isPage ? (binaryType(await body.peek(signBytes)) ?? null) : null
}

const signBytes = 4
const binarySigns: readonly [type: string, start: string][] = [
  ['image/png', '\x89PNG'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['application/pdf', '%PDF'],
  ['application/zip', 'PK\x03\x04'],
]

function binaryType(body: Buffer): string | undefined {
  const start = body.subarray(0, 8).toString('latin1')
  return binarySigns.find(([, sign]) => start.startsWith(sign))?.[0]
}

/** A body with a chunk in this time was not stalled when its time was up. It would take as long again. */
const flowingMs = 1000
/** A connection whose body takes longer is not worth keeping. */
const longestDropMs = 1000

/** The decompressed body of one response. */
interface BodyReader {
  /** Returns at least the first `length` bytes, unless the body is shorter. `chunks` returns these bytes again. */
  peek(length: number): Promise<Buffer>
  /** Returns the whole body. Throws FetchError 'too_large' after `maxBytes`. */
  chunks(maxBytes: number): AsyncGenerator<Buffer>
  /** Ends the response without reading it. */
  drop(): Promise<void>
}

function createBodyReader({ headers, body, countBytes, explain, onEnd }: AnswerSource): BodyReader {
  /** The chunks that `peek` has read, and the source of the remaining chunks. */
  let peeked: { chunks: Buffer[]; rest: AsyncIterator<Buffer> } | null = null

  function openBody(): AsyncIterable<Buffer> {
    // The request's deadline also aborts its body, and aborting the body ends the decompression.
    const stages = openDecompressors(headers['content-encoding'] ?? '')
    return stages.length > 0 ? (pipeline([body, ...stages], () => {}) as unknown as AsyncIterable<Buffer>) : body
  }

  let lastChunkMs = Number.NEGATIVE_INFINITY
  const noteChunk = () => {
    lastChunkMs = performance.now()
  }

  function abandon(error: unknown): unknown {
    body.on('error', () => {}).destroy()
    const explained = explain(error)
    const isFlowing = performance.now() - lastChunkMs < flowingMs
    if (isFlowing && explained instanceof FetchError && explained.code === 'timeout') explained.isFinal = true
    return explained
  }

  async function* replay(): AsyncGenerator<Buffer> {
    if (!peeked) return yield* openBody()
    const { chunks, rest } = peeked
    yield* chunks
    yield* { [Symbol.asyncIterator]: () => rest }
  }

  return {
    async peek(length) {
      try {
        const rest = openBody()[Symbol.asyncIterator]()
        const chunks: Buffer[] = []
        peeked = { chunks, rest }
        for (let read = 0; read < length; ) {
          const { value, done } = await rest.next()
          if (done) break
          noteChunk()
          chunks.push(value)
          read += value.length
        }
        return Buffer.concat(chunks)
      } catch (error) {
        throw abandon(error)
      }
    },
    // Bytes are counted as they arrive, so a compression bomb is stopped at the limit and never held in memory.
    async *chunks(maxBytes) {
      let left = maxBytes
      try {
        for await (const chunk of replay()) {
          noteChunk()
          left -= chunk.length
          // Counts per chunk and not per file, to include answers that are never saved and to stop exactly at the limit.
          countBytes(chunk.length)
          if (left < 0) throw new FetchError('too_large', `larger than the limit of ${describeBytes(maxBytes)}`)
          yield chunk
        }
      } catch (error) {
        throw abandon(error)
      } finally {
        onEnd()
      }
    },
    async drop() {
      if (peeked) body.on('error', () => {}).destroy()
      else await body.dump({ limit: 64 * 1024, signal: AbortSignal.timeout(longestDropMs) }).catch(() => {})
      onEnd()
    },
  }
}

/**
 * Returns the streams that decode a Content-Encoding. At most two layers are allowed, because honest servers use no more.
 */
function openDecompressors(encoding: string): Duplex[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > 2) throw new FetchError('encoding', 'the answer is compressed more than twice')
  return names.reverse().map(name => {
    if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip()
    if (name === 'deflate') return createDeflateDecoder()
    if (name === 'br') return zlib.createBrotliDecompress()
    if (name === 'zstd') return zlib.createZstdDecompress()
    throw new FetchError('encoding', `the answer is compressed with ${name}, which was not requested`)
  })
}

/** Decodes both forms of `deflate` that servers send: with the header of zlib, and raw as browsers accept it too. */
function createDeflateDecoder(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    const chunks = source[Symbol.asyncIterator]()
    const { value: first, done } = await chunks.next()
    if (done) return
    const decoder = ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    const all = async function* () {
      yield first
      yield* { [Symbol.asyncIterator]: () => chunks }
    }
    yield* pipeline([Readable.from(all()), decoder], () => {}) as unknown as AsyncIterable<Buffer>
  })
}
