import { once } from 'node:events'
import { createReadStream, type Stats } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TarArchive } from 'archiver'

/** Date of every file. It is fixed, so the bytes of a bundle depend only on the bundle's content. */
const entryDate = new Date(Date.UTC(1980, 0, 1))
const entryMode = 0o644
/** Files up to this size are read at once; larger ones are streamed. */
const bufferBytes = 4 * 1024 ** 2
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
