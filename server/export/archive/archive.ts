import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, type Stats } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ExportError } from '../model/export-error.ts'
import type { BundleFormat } from '../model/options.ts'
import { tarFiles } from './tar-files.ts'
import { zipFiles } from './zip-files.ts'

/** Archives are 2 % larger than at the default level and take three quarters of the time (Python docs, 67 MB). */
const level = 5

export interface ArchiveOptions {
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
