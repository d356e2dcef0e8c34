import { pipeline, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import type { Dispatcher } from 'undici'
import { describeBytes } from '../../base/format-bytes.ts'
import { FetchError } from './fetch-error.ts'

/** A body with a chunk in this time was not stalled when its time was up. It would take as long again. */
const flowingMs = 1000
/** A connection whose body takes longer is not worth keeping. */
const longestDropMs = 1000

/** The decompressed body of one response. */
export interface BodyReader {
  /** Returns at least the first `length` bytes, unless the body is shorter. `chunks` returns these bytes again. */
  peek(length: number): Promise<Buffer>
  /** Returns the whole body. Throws FetchError 'too_large' after `maxBytes`. */
  chunks(maxBytes: number): AsyncGenerator<Buffer>
  /** Ends the response without reading it. */
  drop(): Promise<void>
}

export interface BodySource {
  response: Dispatcher.ResponseData
  countBytes(bytes: number): void
  explain(error: unknown): unknown
  onEnd(): void
}

/** @param encoding the Content-Encoding. */
export function createBodyReader({ response, countBytes, explain, onEnd }: BodySource, encoding: string): BodyReader {
  const { body } = response
  /** The chunks that `peek` has read, and the source of the remaining chunks. */
  let peeked: { chunks: Buffer[]; rest: AsyncIterator<Buffer> } | null = null

  function openBody(): AsyncIterable<Buffer> {
    // The request's deadline also aborts its body, and aborting the body ends the decompression.
    const stages = openDecompressors(encoding)
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
function openDecompressors(encoding: string): Transform[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > 2) throw new FetchError('encoding', 'the answer is compressed more than twice')
  return names.reverse().map(name => {
    if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip()
    if (name === 'deflate') return zlib.createInflate()
    if (name === 'br') return zlib.createBrotliDecompress()
    if (name === 'zstd') return zlib.createZstdDecompress()
    throw new FetchError('encoding', `the answer is compressed with ${name}, which was not requested`)
  })
}
