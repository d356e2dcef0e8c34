import { isDamage } from '../import/decompress.ts'
import { LogFileError, openLogFile } from '../import/log-file.ts'
import { isAbsence, type LogEntry, RotationUnderWayError, toFile } from './log-entries.ts'
import { LogHead } from './log-fingerprint.ts'
import { cutHeader, maxHeaderBytes } from './log-header.ts'
import type { OpenLog } from './open-log.ts'

const lineFeed = 0x0a
const lineBreak = Buffer.from('\n')

/**
 * Opens a rotated log that was compressed.
 *
 * @param offset where reading begins, in uncompressed bytes; the bytes before it are decompressed and skipped
 * @throws {LogFileError} see `openLogFile`; `read` also throws it, when the file is damaged or truncated.
 * @throws {RotationUnderWayError} from `read`, when another file has the name of the entry by now.
 */
export async function openCompressedLog(entry: LogEntry, offset: number): Promise<OpenLog> {
  // The file is opened by the first read, and by then rotation may have given its name to another one.
  const { chunks, readBytes } = await openLogFile(entry.path, async handle => {
    if (toFile(await handle.stat({ bigint: true })) !== entry.file) throw new RotationUnderWayError()
  })
  return new CompressedLog(entry, offset, noticeRename(chunks), readBytes)
}

async function* noticeRename(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    const isRenamed = isAbsence(error) || (error as Error).cause instanceof RotationUnderWayError
    throw isRenamed ? new RotationUnderWayError() : error
  }
}

class CompressedLog implements OpenLog {
  readonly path: string
  readonly file: string
  readonly modifiedAtMs: number
  readonly isComplete = true
  readonly #sizeBytes: number
  readonly #chunks: AsyncIterator<Buffer>
  readonly #readBytes: () => number
  readonly #beginAt: number
  head = new LogHead()
  offset: number
  #readTo = 0
  /** The first skipped bytes, up to `maxHeaderBytes`. */
  #beginning: Buffer = Buffer.alloc(0)

  constructor(entry: LogEntry, offset: number, chunks: AsyncIterator<Buffer>, readBytes: () => number) {
    this.path = entry.path
    this.file = entry.file
    this.modifiedAtMs = entry.modifiedAtMs
    this.#sizeBytes = entry.sizeBytes
    this.#chunks = chunks
    this.#readBytes = readBytes
    this.#beginAt = offset
    this.offset = offset
  }

  get header(): Buffer {
    return cutHeader(this.#beginning)
  }

  get aheadBytes(): number {
    return Math.max(0, this.#sizeBytes - this.#readBytes())
  }

  async read(): Promise<Buffer | null> {
    for (;;) {
      const { value: chunk, done } = await this.#chunks.next()
      if (done) return null
      const from = this.#readTo
      this.#readTo += chunk.length
      this.head = this.head.withNext(chunk, from)
      this.#beginning = grow(this.#beginning, chunk, Math.min(maxHeaderBytes, this.#beginAt))
      if (this.#readTo <= this.#beginAt) continue
      const end = chunk.lastIndexOf(lineFeed) + 1
      if (end > 0) this.offset = Math.max(this.#beginAt, from + end)
      return from < this.#beginAt ? chunk.subarray(this.#beginAt - from) : chunk
    }
  }

  async readRest(): Promise<Buffer | null> {
    if (this.#readTo <= this.offset) return null
    this.offset = this.#readTo
    return lineBreak
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

function grow(beginning: Buffer, chunk: Buffer, maxBytes: number): Buffer {
  if (beginning.length >= maxBytes) return beginning
  return Buffer.concat([beginning, chunk.subarray(0, maxBytes - beginning.length)])
}

/** Reads the head of a compressed log; less when it is shorter or damaged. */
export async function readCompressedHead(path: string): Promise<LogHead> {
  const { chunks } = await openLogFile(path)
  let head = new LogHead()
  let at = 0
  try {
    for await (const chunk of chunks) {
      head = head.withNext(chunk, at)
      at += chunk.length
      if (head.isComplete) break
    }
  } catch (error) {
    if (!isDamagedFile(error)) throw error
  }
  return head
}

/** Returns whether an error reports truncated or damaged compressed data. */
export function isDamagedFile(error: unknown): boolean {
  return error instanceof LogFileError && isDamage(error.cause)
}
