import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from 'undici'
import { createBodyReader } from './body-reader.ts'
import { firstValue } from './header-value.ts'
import { isSniffed, looksLikeHtml, sniffedBytes } from './sniff-html.ts'
import { lastingHeaders, readValidators, type Validators } from './validators.ts'

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

export interface AnswerSource {
  url: URL
  isRedirected: boolean
  response: Dispatcher.ResponseData
  /** Called with the length of each decompressed chunk. Throws if all answers together are too large. */
  countBytes(bytes: number): void
  /** Converts an error of the connection or the decompression into the error to throw. */
  explain(error: unknown): unknown
  /** Called after the body was read or dropped. */
  onEnd(): void
}

/** Creates the answer for a response. If the type is missing, checks the body to detect a page. */
export async function openAnswer(source: AnswerSource): Promise<Answer> {
  const { url, isRedirected, response, explain } = source
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, firstValue(value) ?? '']),
  )
  const body = createBodyReader(source, headers['content-encoding'] ?? '')
  const isPage = response.statusCode === 200 && isSniffed(headers) && looksLikeHtml(await body.peek(sniffedBytes))
  const contentType = isPage ? 'text/html' : (headers['content-type'] ?? '')
  return {
    url,
    status: response.statusCode,
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
        await pipeline(meter.pass(body.chunks(maxBytes)), createWriteStream(file))
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
