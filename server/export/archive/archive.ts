// A long file: both formats of an archive, and the records of a zip file.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import { lstat, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib'
import type { TarArchive } from 'archiver'
import { ExportError } from '../model/export-error.ts'
import type { BundleFormat } from '../model/options.ts'

/** Archives are 2 % larger than at the default level and take three quarters of the time (Python docs, 67 MB). */
const level = 5

interface ArchiveOptions {
  /** The folder with the files. */
  folder: string
  /** Paths of the files in the folder, with slashes. */
  paths: readonly string[]
  format: BundleFormat
  /** Written as outFile + '.part' and renamed when complete. */
  outFile: string
  signal: AbortSignal
}

/** Packs files into one archive. Identical input gives identical bytes: names are sorted, and dates and modes are fixed. */
export async function archiveFiles(options: ArchiveOptions): Promise<{ sizeBytes: number; sha256: string }> {
  const { folder, paths, format, outFile, signal } = options
  const partFile = `${outFile}.part`
  const hash = createHash('sha256')
  let sizeBytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      sizeBytes += chunk.length
      done(null, chunk)
    },
  })
  // Always create a new file: writing into an existing one could follow a link or damage the archive of another process.
  await rm(partFile, { force: true })
  const sink = createWriteStream(partFile, { flags: 'wx' })
  await once(sink, 'open')
  const part = await lstat(partFile)
  try {
    const sorted = [...paths].sort()
    const bytes = format === 'zip' ? zipFiles(folder, sorted, level) : tarFiles(folder, sorted, level)
    await pipeline(bytes, count, sink, { signal })
    if (!(await isFile(part, partFile))) {
      const message = `Another export is writing to ${basename(outFile)}. Wait until it ends, or choose another name.`
      throw new ExportError(message, 'failed')
    }
    await rename(partFile, outFile)
    return { sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    if (await isFile(part, partFile)) await rm(partFile, { force: true })
    throw error
  }
}

/** Decides whether the name still refers to the opened file. */
async function isFile(opened: Stats, name: string): Promise<boolean> {
  const current = await lstat(name).catch(() => null)
  return opened.ino === current?.ino && opened.dev === current.dev
}

const deflate = promisify(deflateRaw)

/** Files up to this size are read and compressed at once; larger ones are streamed. */
const bufferBytes = 4 * 1024 ** 2
/** Number of files that are compressed in parallel. */
const parallelFiles = 4

/**
 * Yields the bytes of a zip of files, in the order of `paths`. Does not use archiver, although archiver gives the same
 * bytes. It takes 1.3 to 1.6 times the CPU time for the Python docs and 1.6 to 2 times for many small files
 * (scripts/bench/RESULTS.md), because it compresses one file after the other and computes checksums in JavaScript.
 */
export async function* zipFiles(folder: string, paths: readonly string[], level: number): AsyncGenerator<Buffer> {
  const zip = createZipWriter()
  const pack = (path: string | undefined) => {
    const packed = path === undefined ? undefined : packFile(join(folder, path), level)
    // If an earlier file fails, nothing awaits this promise.
    packed?.catch(() => {})
    return packed
  }
  const ahead = paths.slice(0, parallelFiles).map(pack)
  for (const [index, path] of paths.entries()) {
    const packed = await ahead.shift()
    ahead.push(pack(paths[index + parallelFiles]))
    if (!packed) continue
    if (packed.content === null) {
      yield zip.begin(path, true, packed.sizeBytes)
      const sums = { crc: 0, sizeBytes: 0, packedBytes: 0 }
      for await (const chunk of streamFile(join(folder, path), level, sums)) yield zip.pass(chunk)
      yield zip.end(sums.crc, sums.sizeBytes, sums.packedBytes)
      continue
    }
    const { crc, sizeBytes, content } = packed
    yield zip.begin(path, sizeBytes > 0, sizeBytes, content)
    yield zip.end(crc, sizeBytes, content.length)
  }
  yield zip.finish()
}

/** Compresses a file. `content` is null when the file is too large to hold in memory. */
async function packFile(file: string, level: number) {
  const { size } = await stat(file)
  if (size > bufferBytes) return { crc: 0, sizeBytes: size, content: null }
  const bytes = await readFile(file)
  const crc = crc32(bytes)
  if (bytes.length === 0) return { crc, sizeBytes: 0, content: bytes }
  // In most cases, one chunk holds the whole content. Each further chunk needs another round trip to a worker thread.
  const content = await deflate(bytes, { level, chunkSize: Math.max(1024, bytes.length >> 1) })
  return { crc, sizeBytes: bytes.length, content }
}

async function* streamFile(file: string, level: number, sums: { crc: number; sizeBytes: number; packedBytes: number }) {
  const packer = createDeflateRaw({ level })
  const source = createReadStream(file)
  source.on('error', error => packer.destroy(error))
  source.on('data', chunk => {
    sums.crc = crc32(chunk, sums.crc)
    sums.sizeBytes += chunk.length
  })
  for await (const chunk of source.pipe(packer) as AsyncIterable<Buffer>) {
    sums.packedBytes += chunk.length
    yield chunk
  }
}

/** A file in a zip, as the directory lists it. */
interface ZipEntry {
  name: string
  crc: number
  sizeBytes: number
  packedBytes: number
  isPacked: boolean
  /** Whether sizes are written in 64 bits. A program that reads the zip as a stream needs this before the content. */
  isLarge: boolean
}

/** An entry of the directory, with the offset of the file in the zip. */
interface Listed extends ZipEntry {
  offset: number
}

const versionPlain = 20
const versionZip64 = 45
/** Declares Unix as the origin of the zip; programs then use the file mode. */
const madeBy = (3 << 8) | versionZip64
/** General purpose bits: sizes follow the content; the name is UTF-8. */
const sizesFollow = 1 << 3
const utf8 = 1 << 11
const deflated = 8
/**
 * The first date of the format, and the mode of a readable file. Both are fixed, so the bytes of a bundle depend only on its
 * content.
 */
const firstDay = (1 << 21) | (1 << 16)
const attributes = ((0o100644 << 16) | 0x20) >>> 0
const maxUint16 = 0xffff
const maxUint32 = 0xffff_ffff
/** From this size on, the compressed size may need more than 32 bits, because incompressible content grows a little. */
const minLarge = 4_000_000_000

/**
 * Creates a writer for the records of a zip around compressed content: APPNOTE.TXT 6.3, sections 4.3 and 4.4, with Zip64
 * records for large numbers. For each entry, call `begin`, `pass` for each chunk of its content, and `end`; after the last
 * entry, call `finish`.
 */
export function createZipWriter() {
  const listed: Listed[] = []
  let offset = 0

  function count(bytes: Buffer): Buffer {
    offset += bytes.length
    return bytes
  }

  return {
    /**
     * Returns the bytes before the content.
     *
     * @param sizeBytes size of the uncompressed content.
     * @param content the whole content, if available.
     */
    begin(name: string, isPacked: boolean, sizeBytes: number, content: Buffer = Buffer.alloc(0)): Buffer {
      const isLarge = sizeBytes >= minLarge
      const entry: Listed = { name, isPacked, isLarge, crc: 0, sizeBytes, packedBytes: 0, offset }
      listed.push(entry)
      const bytes = Buffer.from(name)
      const size = isLarge ? maxUint32 : 0
      const extra = isLarge ? extra64(0, 0) : Buffer.alloc(0)
      const head = [...common(versionOf(isLarge), entry), 4, 0, 4, size, 4, size, 2, bytes.length, 2, extra.length]
      return count(Buffer.concat([record(0x0403_4b50, ...head), bytes, extra, content]))
    },
    /** A chunk of the content. */
    pass: count,
    /** Returns the bytes after the content. */
    end(crc: number, sizeBytes: number, packedBytes: number): Buffer {
      const entry = listed[listed.length - 1] as Listed
      Object.assign(entry, { crc, sizeBytes, packedBytes })
      if (!entry.isLarge && Math.max(sizeBytes, packedBytes) >= maxUint32)
        throw new Error(`${entry.name} is larger than announced`)
      const width = entry.isLarge ? 8 : 4
      return count(record(0x0807_4b50, 4, crc, width, packedBytes, width, sizeBytes))
    },
    /** Returns the directory. */
    finish(): Buffer {
      const start = offset
      const directory = Buffer.concat(listed.map(describe))
      return Buffer.concat([directory, endOf(listed.length, start, directory.length)])
    },
  }
}

/**
 * Builds a record.
 *
 * @param fields pairs of a width in bytes and a value.
 */
function record(signature: number, ...fields: number[]): Buffer {
  let length = 4
  for (let at = 0; at < fields.length; at += 2) length += fields[at] ?? 0
  const bytes = Buffer.alloc(length)
  bytes.writeUInt32LE(signature)
  let at = 4
  for (let index = 0; index < fields.length; index += 2) {
    const width = fields[index] ?? 0
    const value = fields[index + 1] ?? 0
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at)
    else bytes.writeUIntLE(value, at, width)
    at += width
  }
  return bytes
}

/** Returns the first fields of an entry. They are the same in both headers. */
function common(version: number, { name, isPacked }: ZipEntry): number[] {
  const flags = sizesFollow | (Buffer.byteLength(name) === name.length ? 0 : utf8)
  return [2, version, 2, flags, 2, isPacked ? deflated : 0, 4, firstDay]
}

function describe(entry: Listed): Buffer {
  const { crc, sizeBytes, packedBytes, offset } = entry
  const name = Buffer.from(entry.name)
  const isLarge = entry.isLarge || offset >= maxUint32
  const extra = isLarge ? extra64(sizeBytes, packedBytes, offset) : Buffer.alloc(0)
  const [packed, plain, where] = isLarge ? [maxUint32, maxUint32, maxUint32] : [packedBytes, sizeBytes, offset]
  const head = record(
    0x0201_4b50,
    ...[2, madeBy, ...common(versionOf(isLarge), entry), 4, crc, 4, packed, 4, plain],
    ...[2, name.length, 2, extra.length, 2, 0, 2, 0, 2, 0, 4, attributes, 4, where],
  )
  return Buffer.concat([head, name, extra])
}

/** Returns the extra field with the 64-bit values of fields that are too large for 32 bits. */
function extra64(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 + values.length * 8)
  bytes.writeUInt16LE(1)
  bytes.writeUInt16LE(values.length * 8, 2)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 4 + index * 8)
  return bytes
}

function versionOf(isLarge: boolean): number {
  return isLarge ? versionZip64 : versionPlain
}

function endOf(entries: number, start: number, length: number): Buffer {
  const isLarge = entries >= maxUint16 || Math.max(start, length) >= maxUint32
  const [shown, size, where] = isLarge ? [maxUint16, maxUint32, maxUint32] : [entries, length, start]
  const end = record(0x0605_4b50, 2, 0, 2, 0, 2, shown, 2, shown, 4, size, 4, where, 2, 0)
  if (!isLarge) return end
  const versions = [2, versionZip64, 2, versionZip64]
  const end64 = [8, 44, ...versions, 4, 0, 4, 0, 8, entries, 8, entries, 8, length, 8, start]
  const locator = record(0x0706_4b50, 4, 0, 8, start + length, 4, 1)
  return Buffer.concat([record(0x0606_4b50, ...end64), locator, end])
}

/** Date of every file. It is fixed, so the bytes of a bundle depend only on the bundle's content. */
const entryDate = new Date(Date.UTC(1980, 0, 1))
const entryMode = 0o644
/** Number of files to read ahead while another file is compressed. */
const readAhead = 4

/** Yields the bytes of a tar.gz with these files, in the given order. */
export async function* tarFiles(folder: string, paths: readonly string[], level: number): AsyncGenerator<Buffer> {
  // Imported on demand, because archiver has as many modules as the rest of an export.
  const { TarArchive } = await import('archiver')
  // Node writes a gzip header without a time (MTIME 0), so the header is always the same.
  const archive = new TarArchive({ gzip: true, gzipOptions: { level } })
  const appended = appendAll(archive, folder, paths)
  appended.catch(error => archive.destroy(error))
  try {
    for await (const chunk of archive as AsyncIterable<Buffer>) yield chunk
    await appended
  } finally {
    archive.abort()
    archive.destroy()
  }
}

async function appendAll(into: TarArchive, folder: string, paths: readonly string[]): Promise<void> {
  const read = (path: string | undefined) => {
    const entry = path === undefined ? undefined : readEntry(join(folder, path))
    // If an earlier file fails, nothing awaits this promise.
    entry?.catch(() => {})
    return entry
  }
  const ahead = paths.slice(0, readAhead).map(read)
  for (const [index, path] of paths.entries()) {
    const entry = await ahead.shift()
    ahead.push(read(paths[index + readAhead]))
    if (!entry) continue
    const { stats, bytes } = entry
    // Append one entry at a time, because archiver opens the file or holds the bytes of every appended entry.
    const done = once(into, 'entry')
    const source = bytes ?? createReadStream(join(folder, path))
    into.append(source, { name: path, date: entryDate, mode: entryMode, stats })
    await done
  }
  await into.finalize()
}

/** Reads a file to be packed; null `bytes` means that the file is streamed later. */
async function readEntry(file: string): Promise<{ stats: Stats; bytes: Buffer | null }> {
  const stats = await stat(file)
  return { stats, bytes: stats.size <= bufferBytes ? await readFile(file) : null }
}
