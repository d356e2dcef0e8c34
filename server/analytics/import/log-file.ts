import { constants } from 'node:fs'
import { access, type FileHandle, open, stat } from 'node:fs/promises'
import { findInPath } from '../../base/executables.ts'
import { OperatorError } from '../../base/operator-error.ts'
import {
  type Codec,
  decompress,
  type ForeignCompression,
  findCodec,
  findForeignCompression,
  isDamage,
  isTruncation,
  magicBytes,
} from './decompress.ts'
import { decompressWith, ExternalDecoderError } from './external-decoder.ts'
import { describeUtf16, isUtf16, utf16SampleBytes } from './utf16.ts'

/**
 * Thrown when a log cannot be read, or cannot be read to its end. The cause, if any, is the error of the file system or
 * the decoder.
 */
export class LogFileError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 1, options)
  }
}

/** A log as an uncompressed stream. */
export interface LogFile {
  /** Size of the file on disk; undefined = unknown, as for standard input. */
  sizeBytes: number | undefined
  /** Bytes read so far, before decompression. */
  readBytes(): number
  /** A chunk is valid until the next one is requested. Throws a LogFileError after the last readable chunk of a damaged log. */
  chunks: AsyncIterable<Buffer>
}

/** A log that is not a file, such as an object in a bucket. */
export interface LogSource {
  sizeBytes: number
  /** Reads the bytes from the beginning. */
  read(): AsyncGenerator<Buffer>
}

/** Gets a file that was opened, before it is read. Throws to refuse it, such as when another file has its path by now. */
export type CheckOpened = (handle: FileHandle) => Promise<void>

const chunkBytes = 256 * 1024
/** Maximum bytes of compressed standard input that are lost before damage, because standard input cannot be read again. */
const smallPieceBytes = 4096

/**
 * Opens a log; `-` is standard input. Compression is detected from the first bytes, not from the name: gzip and zstd, and xz
 * and bzip2 if these programs are installed.
 *
 * @throws {LogFileError} see `checkLogFile`.
 */
export async function openLogFile(file: string, checkOpened?: CheckOpened): Promise<LogFile> {
  const sizeBytes = await checkLogFile(file)
  return openLogSource(file, { sizeBytes, read: () => readChunks(file, checkOpened) })
}

/** Opens a log like `openLogFile`. @param sizeBytes undefined = it cannot be read again */
export function openLogSource(
  file: string,
  { sizeBytes, read }: Pick<LogSource, 'read'> & { sizeBytes: number | undefined },
): LogFile {
  const name = file === '-' ? 'Standard input' : file
  let readBytes = 0
  const count = (bytes: number) => {
    readBytes += bytes
  }
  const chunks = refuseUtf16(name, readUncompressed(file, { read, canReadAgain: sizeBytes !== undefined, count }))
  return { sizeBytes, readBytes: () => readBytes, chunks: explainErrors(name, chunks) }
}

/**
 * Checks that a file can be read as a log, and returns its size in bytes; undefined for a pipe or standard input.
 *
 * @throws {LogFileError} when the file is missing, a folder, a socket, a disk, not readable, UTF-16, or in an unsupported
 * compression format.
 */
export async function checkLogFile(file: string): Promise<number | undefined> {
  if (file === '-') return undefined
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) throw new LogFileError(`${file} is a folder. Give the log files in it: ${file}/*.log*`)
    if (stats.isSocket() || stats.isBlockDevice()) {
      throw new LogFileError(`${file} is not a file. Give a log file, or - for standard input.`)
    }
    await access(file, constants.R_OK)
    if (!stats.isFile()) return undefined
    await refuseUnsupportedFile(file)
    return stats.size
  } catch (error) {
    throw error instanceof LogFileError ? error : new LogFileError(explain(file, error), { cause: error })
  }
}

async function refuseUnsupportedFile(file: string): Promise<void> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(utf16SampleBytes), 0, utf16SampleBytes, 0)
    const head = buffer.subarray(0, bytesRead)
    if (isUtf16(head)) throw new LogFileError(describeUtf16(file, file))
    const found = findForeignCompression(head)
    if (found) refuseUnsupported(file, found)
  } finally {
    await handle.close()
  }
}

/** @throws {LogFileError} when the compression is not supported, or its program is not installed. */
function refuseUnsupported(file: string, { name, program, unpack }: ForeignCompression): void {
  if (program !== undefined && findInPath(program) !== undefined) return
  const subject = file === '-' ? 'Standard input' : file
  const pipe = `${unpack} ${file === '-' ? 'FILE' : file} | npx quire visits import -`
  throw new LogFileError(
    program === undefined
      ? `${subject} is compressed by ${name}, which is not supported. Pipe it: ${pipe}`
      : `${subject} is compressed by ${name}. Install the program ${program}, or pipe the log: ${pipe}`,
  )
}

/** Refuses UTF-16 in compressed files and pipes, which `checkLogFile` cannot see. */
async function* refuseUtf16(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst && isUtf16(chunk)) throw new LogFileError(describeUtf16(name, '-'))
    isFirst = false
    yield chunk
  }
}

async function* explainErrors(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    throw error instanceof LogFileError ? error : new LogFileError(explain(name, error), { cause: error })
  }
}

function explain(name: string, error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code)
  if (code === 'ENOENT') return `${name} does not exist.`
  if (code === 'EACCES') return `${name} cannot be read: permission denied. Give the user of this process read access.`
  if (error instanceof ExternalDecoderError) return `${name} is truncated or damaged (${error.message}).`
  if (isTruncation(error)) return `${name} is truncated: its compressed data ends too early.`
  if (isDamage(error)) return `${name} is damaged: its compressed data cannot be read (${code}).`
  return `${name} cannot be read: ${error instanceof Error ? error.message : code}`
}

interface Reading {
  /** Reads the bytes from the beginning. */
  read(): AsyncGenerator<Buffer>
  /** Whether the input is a file, not a pipe. */
  canReadAgain: boolean
  count(bytes: number): void
}

async function* readUncompressed(file: string, { read, canReadAgain, count }: Reading): AsyncGenerator<Buffer> {
  const source = countBytes(read(), count)
  try {
    // A pipe may deliver a single byte first.
    let head: Buffer = Buffer.alloc(0)
    while (head.length < magicBytes) {
      const { value, done } = await source.next()
      if (done) break
      // Copied, because the next chunk may reuse the buffer.
      head = Buffer.concat([head, value])
    }
    const codec = findCodec(head)
    const foreign = codec ? undefined : findForeignCompression(head)
    const whole = prepend(head, source)
    if (foreign) {
      refuseUnsupported(file, foreign)
      yield* decompressWith(foreign.program ?? '', whole)
    } else if (!codec) yield* whole
    else if (canReadAgain) yield* readDamaged(codec, whole, read)
    else yield* decompress(codec, splitInto(smallPieceBytes, whole))
  } finally {
    // A caller that stops early must not wait for a pipe that sends nothing.
    if (file === '-') process.stdin.destroy()
    await source.return(undefined)
  }
}

/**
 * Decompresses a file. The decoder discards the whole piece that contains damage. So the part of a damaged file after the
 * intact pieces is read again in smaller pieces, and finally byte by byte.
 */
async function* readDamaged(
  codec: Codec,
  source: AsyncIterable<Buffer>,
  readAgain: () => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let givenBytes = 0
  let pieces = source
  for (const nextPieceBytes of [smallPieceBytes, 1, 0]) {
    let takenBytes = 0
    let at = 0
    try {
      const onTaken = (piece: Buffer) => {
        takenBytes += piece.length
      }
      for await (const chunk of decompress(codec, pieces, onTaken)) {
        const from = Math.max(0, givenBytes - at)
        at += chunk.length
        if (from < chunk.length) {
          yield chunk.subarray(from)
          givenBytes = at
        }
      }
      return
    } catch (error) {
      if (!isDamage(error) || isTruncation(error) || nextPieceBytes === 0) throw error
      pieces = splitAfter(takenBytes, nextPieceBytes, readAgain())
    }
  }
}

/** Reads a file in chunks. Reuses one buffer, so a chunk is valid until the next one. */
async function* readChunks(file: string, checkOpened?: CheckOpened): AsyncGenerator<Buffer> {
  if (file === '-') {
    yield* process.stdin as AsyncIterable<Buffer>
    return
  }
  const handle = await open(file, 'r')
  try {
    await checkOpened?.(handle)
    const chunk = Buffer.allocUnsafe(chunkBytes)
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, chunkBytes, null)
      if (bytesRead === 0) return
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function* countBytes(source: AsyncIterable<Buffer>, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    onRead(chunk.length)
    yield chunk
  }
}

async function* prepend(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* rest
}

async function* splitInto(bytes: number, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += bytes) yield chunk.subarray(at, at + bytes)
  }
}

/** Yields the first `bytes` bytes unchanged, then splits the rest into pieces of `pieceBytes`. */
async function* splitAfter(bytes: number, pieceBytes: number, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const chunk of source) {
    const whole = chunk.subarray(0, left)
    left -= whole.length
    if (whole.length > 0) yield whole
    for (let at = whole.length; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes)
  }
}
