import { constants, createReadStream } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createGunzip, type Gunzip, constants as zlib } from 'node:zlib'

/** Says in one line why a log cannot be read, or not to its end; shown to the operator as it is. */
export class LogFileError extends Error {}

/** A log as it streams in, uncompressed. */
export interface LogFile {
  /** Of the file as it is on disk; undefined when nobody knows, as for standard input. */
  sizeBytes: number | undefined
  /** Bytes read so far, before decompression. */
  readBytes(): number
  /** May throw a LogFileError at the end, after all that could be read. */
  chunks: AsyncIterable<Buffer>
}

const chunkBytes = 64 * 1024

/**
 * Opens a log, `-` for standard input; compressed ones are told by their first bytes, whatever their name.
 *
 * @throws {LogFileError} see `checkLogFile`.
 */
export async function openLogFile(file: string): Promise<LogFile> {
  const sizeBytes = await checkLogFile(file)
  const name = file === '-' ? 'Standard input' : file
  const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: chunkBytes })
  let readBytes = 0
  async function* read(): AsyncGenerator<Buffer> {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      readBytes += chunk.length
      yield chunk
    }
  }
  return { sizeBytes, readBytes: () => readBytes, chunks: explained(name, source, decompressed(read())) }
}

/**
 * The size of a file that can be read as a log; undefined for a pipe or standard input.
 *
 * @throws {LogFileError} when it is missing, a folder, a socket or a disk, or may not be read.
 */
export async function checkLogFile(file: string): Promise<number | undefined> {
  if (file === '-') return undefined
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) throw new LogFileError(`${file} is a folder. Give the log files in it: ${file}/*.log*`)
    if (stats.isSocket() || stats.isBlockDevice()) {
      throw new LogFileError(`${file} is no file. Give a log file, or - for standard input.`)
    }
    await access(file, constants.R_OK)
    return stats.isFile() ? stats.size : undefined
  } catch (error) {
    throw error instanceof LogFileError ? error : new LogFileError(explain(file, error), { cause: error })
  }
}

async function* explained(name: string, source: Readable, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    throw new LogFileError(explain(name, error), { cause: error })
  } finally {
    // Who stops early must not wait for a pipe that says nothing more.
    source.destroy()
  }
}

function explain(name: string, error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code)
  if (code === 'ENOENT') return `${name} does not exist.`
  if (code === 'EACCES') return `${name} may not be read. Give the user of this process read access.`
  if (code === 'Z_BUF_ERROR') return `${name} ends in the middle of its compressed data: it was cut off.`
  if (code.startsWith('Z_')) return `${name} is damaged: its compressed data cannot be read (${code}).`
  return `${name} cannot be read: ${error instanceof Error ? error.message : code}`
}

async function* decompressed(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  // A pipe may hand over a single byte first, and the magic number has two.
  let head: Buffer = Buffer.alloc(0)
  while (head.length < 2) {
    const { value, done } = await source.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  const whole = prepend(head, source)
  yield* head[0] === 0x1f && head[1] === 0x8b ? gunzipped(whole) : whole
}

async function* prepend(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* rest
}

async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  feed(source, gunzip).catch(error => gunzip.destroy(error))
  try {
    yield* gunzip as AsyncIterable<Buffer<ArrayBuffer>>
  } finally {
    gunzip.destroy()
  }
}

/**
 * Ends the stream only when all it holds was taken: a gunzip that finds its input cut off drops what it has not handed
 * over, and what came is to be imported.
 */
async function feed(source: AsyncIterable<Buffer>, gunzip: Gunzip): Promise<void> {
  for await (const chunk of source) {
    await new Promise<void>(done => {
      gunzip.once('close', done)
      gunzip.write(chunk, () => {
        gunzip.off('close', done)
        done()
      })
    })
    if (gunzip.destroyed) return
  }
  await new Promise<void>(done => {
    gunzip.once('close', done)
    gunzip.flush(zlib.Z_SYNC_FLUSH, done)
  })
  while (gunzip.readableLength > 0 && !gunzip.destroyed) await setImmediate()
  gunzip.end()
}
