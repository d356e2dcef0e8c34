import { type FileHandle, open } from 'node:fs/promises'
import { toFile } from './log-entries.ts'
import { headBytes, LogHead } from './log-fingerprint.ts'
import { cutHeader, maxHeaderBytes } from './log-header.ts'
import { LogReplacedError, type OpenLog } from './open-log.ts'

const pieceBytes = 256 * 1024
const lineFeed = 0x0a
const lineBreak = Buffer.from('\n')

export interface PlainLogOptions {
  path: string
  /** Where reading begins: the end of a complete line. */
  offset: number
  isComplete: boolean
}

/**
 * Opens an uncompressed log. The open file stays readable after it is renamed or removed.
 *
 * @throws {Error} the errors of `open`: ENOENT, EACCES ...
 */
export async function openPlainLog({ path, offset, isComplete }: PlainLogOptions): Promise<OpenLog> {
  const handle = await open(path)
  try {
    const stats = await handle.stat({ bigint: true })
    const beginning = await readAt(handle, 0, Buffer.alloc(Math.min(maxHeaderBytes, offset)))
    const head = await readPlainHead(handle, offset)
    const header = (await findLastFields(handle, offset, cutHeader(beginning))) ?? Buffer.from(cutHeader(beginning))
    return new PlainLog(handle, { path, offset, isComplete, file: toFile(stats), head, header })
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Finds the last line `#Fields:` before `offset`. IIS writes another one when its columns change, and then the header at the
 * beginning does not describe the lines any more. The file is read backwards, and only if it begins with a header.
 */
async function findLastFields(handle: FileHandle, offset: number, header: Buffer): Promise<Buffer | undefined> {
  const marker = Buffer.from('\n#Fields:')
  const piece = Buffer.allocUnsafe(pieceBytes)
  for (let to = offset; header.length > 0 && to > header.length; ) {
    const from = Math.max(header.length - 1, to - pieceBytes)
    const found = (await readAt(handle, from, piece.subarray(0, to - from))).lastIndexOf(marker)
    if (found !== -1) {
      const line = await readAt(
        handle,
        from + found + 1,
        Buffer.alloc(Math.min(maxHeaderBytes, offset - from - found - 1)),
      )
      return line.subarray(0, line.indexOf(lineFeed) + 1)
    }
    if (from < header.length) return undefined
    // The marker may begin in the piece before.
    to = from + marker.length - 1
  }
  return undefined
}

class PlainLog implements OpenLog {
  readonly path: string
  readonly file: string
  readonly isComplete: boolean
  readonly header: Buffer
  readonly #handle: FileHandle
  readonly #piece = Buffer.allocUnsafe(pieceBytes)
  head: LogHead
  offset: number
  modifiedAtMs = 0
  #sizeBytes = 0
  /** End of the bytes read so far. It is greater than `offset` while a line longer than a piece is being read. */
  #readTo: number

  constructor(handle: FileHandle, options: PlainLogOptions & { file: string; head: LogHead; header: Buffer }) {
    this.#handle = handle
    this.path = options.path
    this.file = options.file
    this.isComplete = options.isComplete
    this.head = options.head
    this.header = options.header
    this.offset = options.offset
    this.#readTo = options.offset
  }

  get aheadBytes(): number {
    return Math.max(0, this.#sizeBytes - this.offset)
  }

  async read(): Promise<Buffer | null> {
    const piece = await this.#readPiece()
    const end = piece.lastIndexOf(lineFeed) + 1
    // A partial line is not returned until it is complete. If it fills a piece, it is returned in several pieces.
    if (end === 0 && piece.length < pieceBytes) return null
    return this.#take(end === 0 ? piece : piece.subarray(0, end), end > 0)
  }

  async readRest(): Promise<Buffer | null> {
    const piece = await this.#readPiece()
    if (piece.length === 0) return this.#readTo > this.offset ? this.#take(lineBreak, true, 0) : null
    const rest = piece.at(-1) === lineFeed ? piece : Buffer.concat([piece, lineBreak])
    return this.#take(rest, true, piece.length)
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  /** Reads the bytes after `#readTo`, and checks that they belong to the file whose head was read. */
  async #readPiece(): Promise<Buffer> {
    const { size, mtimeNs } = await this.#handle.stat({ bigint: true })
    this.#sizeBytes = Number(size)
    this.modifiedAtMs = Number(mtimeNs) / 1e6
    // A copy may lack lines that were read from the original after the copy was made.
    if (this.#sizeBytes < this.#readTo && !this.isComplete) throw new LogReplacedError()
    const piece = await readAt(this.#handle, this.#readTo, this.#piece)
    // The head is checked after reading: if it is unchanged, the file was not emptied before the piece was read.
    const { start, bytes } = this.head.withNext(piece, this.#readTo)
    const now = await readAt(this.#handle, start, Buffer.allocUnsafe(bytes.length))
    if (!now.equals(bytes)) throw new LogReplacedError()
    return piece
  }

  #take(piece: Buffer, isWhole: boolean, takenBytes = piece.length): Buffer {
    this.head = this.head.withNext(piece.subarray(0, takenBytes), this.#readTo)
    this.#readTo += takenBytes
    if (isWhole) this.offset = this.#readTo
    return piece
  }
}

/** Reads the head of a file as far as it is before `end`. A hole of NULs is skipped in large pieces. */
export async function readPlainHead(handle: FileHandle, end = Number.POSITIVE_INFINITY): Promise<LogHead> {
  let head = new LogHead()
  for (let at = 0; at < end && !head.isComplete; ) {
    const bytes = Math.min(at === 0 ? headBytes : pieceBytes, end - at)
    const read = await readAt(handle, at, Buffer.allocUnsafe(bytes))
    if (read.length === 0) break
    head = head.withNext(read, at)
    at += read.length
  }
  return head
}

/** Reads until `into` is full or the file ends, and returns the filled part. */
export async function readAt(handle: FileHandle, from: number, into: Buffer): Promise<Buffer> {
  let filled = 0
  while (filled < into.length) {
    const { bytesRead } = await handle.read(into, filled, into.length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return into.subarray(0, filled)
}
