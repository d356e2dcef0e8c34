import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ZipArchive } from 'archiver'

const entryDate = new Date(Date.UTC(1980, 0, 1))
const entryMode = 0o644
/** The limits of server/export/archive/zip-files.ts, so that both writers buffer the same amount. */
const bufferBytes = 4 * 1024 ** 2
const readAhead = 4

/** The queue and the buffers of archiver. */
export interface ArchiverSettings {
  /** Max entries in the queue of archiver, including the entry that is being compressed. */
  queued: number
  /** Size of the buffers for compressed bytes; the default of Node is 16 kB. */
  chunkBytes: number
}

/** Yields the bytes of a ZIP that archiver writes, with the files in the given order. zipFiles gives the same bytes. */
export async function* zipWithArchiver(
  folder: string,
  paths: readonly string[],
  level: number,
  { queued, chunkBytes }: ArchiverSettings,
): AsyncGenerator<Buffer> {
  const { ZipArchive } = await import('archiver')
  const archive = new ZipArchive({ zlib: { level, chunkSize: chunkBytes } })
  const appended = appendAll(archive, folder, paths, queued)
  appended.catch(error => archive.destroy(error))
  try {
    for await (const chunk of archive as AsyncIterable<Buffer>) yield chunk
    await appended
  } finally {
    archive.abort()
    archive.destroy()
  }
}

async function appendAll(into: ZipArchive, folder: string, paths: readonly string[], queued: number): Promise<void> {
  let waiting = 0
  let wake = () => {}
  into.on('entry', () => {
    waiting -= 1
    wake()
  })
  const read = (path: string | undefined) => {
    const entry = path === undefined ? undefined : readEntry(join(folder, path))
    // Prevents an unhandled rejection. The error is thrown when the entry is awaited.
    entry?.catch(() => {})
    return entry
  }
  const ahead = paths.slice(0, readAhead).map(read)
  for (const [index, path] of paths.entries()) {
    const entry = await ahead.shift()
    ahead.push(read(paths[index + readAhead]))
    if (!entry) continue
    into.append(entry.bytes ?? createReadStream(join(folder, path)), {
      name: path,
      date: entryDate,
      mode: entryMode,
      stats: entry.stats,
    })
    waiting += 1
    while (waiting >= queued) {
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  await into.finalize()
}

/** Reads a small file. `bytes` is null for a large file, which is streamed. */
async function readEntry(file: string) {
  const stats = await stat(file)
  return { stats, bytes: stats.size <= bufferBytes ? await readFile(file) : null }
}
