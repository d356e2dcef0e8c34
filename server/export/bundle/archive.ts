import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import { lstat, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Archiver, TarArchive, ZipArchive } from 'archiver'
import { ExportError } from '../export-error.ts'
import type { BundleFormat } from '../export-job.ts'

/** The first instant a zip can hold. The same for all files: a bundle's bytes depend on its content only. */
const entryDate = new Date(Date.UTC(1980, 0, 1))
const entryMode = 0o644

/** Files up to this size are read at once; larger ones are streamed. */
const bufferBytes = 4 * 1024 ** 2
/** So many files are read while the one before them is compressed. */
const readAhead = 4
/** 2 % larger than the usual level, in three quarters of its time (python docs, 67 MB). */
const level = 5

export interface ArchiveOptions {
  /** Folder with the files. */
  folder: string
  /** Paths in it, with slashes. */
  paths: readonly string[]
  format: BundleFormat
  /** Written as outFile + '.part' and renamed when complete. */
  outFile: string
  signal: AbortSignal
}

/** Packs files into one archive, byte-identical for identical input: sorted names, fixed dates and modes. */
export async function archiveFiles(options: ArchiveOptions): Promise<{ sizeBytes: number; sha256: string }> {
  const { folder, paths, format, outFile, signal } = options
  const partFile = `${outFile}.part`
  // Node writes a gzip header without a time (MTIME 0), so tar.gz is stable too.
  const archive: Archiver =
    format === 'zip' ? new ZipArchive({ zlib: { level } }) : new TarArchive({ gzip: true, gzipOptions: { level } })
  const hash = createHash('sha256')
  let sizeBytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      sizeBytes += chunk.length
      done(null, chunk)
    },
  })
  // A new file, never one that is there: neither through a link nor into the archive of another process.
  await rm(partFile, { force: true })
  const sink = createWriteStream(partFile, { flags: 'wx' })
  await once(sink, 'open')
  const part = await lstat(partFile)
  const written = pipeline(archive, count, sink, { signal })
  try {
    await Promise.race([written, appendAll(archive)])
    await written
    if (!(await isFile(part, partFile))) {
      const message = `Another export writes to ${basename(outFile)}, too; wait for its end, or choose another name.`
      throw new ExportError(message, 'failed')
    }
    await rename(partFile, outFile)
    return { sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    archive.abort()
    archive.destroy()
    await written.catch(() => {})
    if (await isFile(part, partFile)) await rm(partFile, { force: true })
    throw error
  }

  async function appendAll(into: Archiver) {
    const sorted = [...paths].sort()
    const read = (path: string | undefined) => {
      const entry = path === undefined ? undefined : readEntry(join(folder, path))
      // Its turn may never come, when one before it fails.
      entry?.catch(() => {})
      return entry
    }
    const ahead = sorted.slice(0, readAhead).map(read)
    for (const [index, path] of sorted.entries()) {
      signal.throwIfAborted()
      const entry = await ahead.shift()
      ahead.push(read(sorted[index + readAhead]))
      if (!entry) continue
      const { stats, bytes } = entry
      // One entry at a time: archiver would open or hold everything that is appended.
      // Errors end `written`, which the caller waits for at the same time.
      const done = once(into, 'entry')
      const source = bytes ?? createReadStream(join(folder, path))
      into.append(source, { name: path, date: entryDate, mode: entryMode, stats })
      await done
    }
    await into.finalize()
  }
}

/** A file to be packed; null bytes = it is streamed. */
async function readEntry(file: string): Promise<{ stats: Stats; bytes: Buffer | null }> {
  const stats = await stat(file)
  return { stats, bytes: stats.size <= bufferBytes ? await readFile(file) : null }
}

/** Whether the name still leads to the file that was opened. */
async function isFile(opened: Stats, name: string): Promise<boolean> {
  const there = await lstat(name).catch(() => null)
  return opened.ino === there?.ino && opened.dev === there.dev
}
