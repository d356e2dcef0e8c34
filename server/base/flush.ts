import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createQueue } from './queue.ts'

/** How many files are written to the disk at once. */
const parallelFlushes = 16

/** Writes a file to the disk, so that a power cut does not lose its content. */
export async function flushFile(file: string): Promise<void> {
  // Windows flushes only files that are open for writing.
  await flush(file, 'r+')
}

/** Writes the names in a folder to the disk, so that a power cut does not lose files that were created in it or moved to it. */
export async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and needs no flush after a rename.
  if (process.platform === 'win32') return
  await flush(folder, 'r').catch((error: NodeJS.ErrnoException) => {
    // Some network file systems cannot flush folders.
    if (error.code !== 'EINVAL') throw error
  })
}

/** Writes files and their folders to the disk. Otherwise, a power cut after a rename could leave empty files. */
export async function flushAll(folder: string, paths: readonly string[]): Promise<void> {
  const queue = createQueue(parallelFlushes)
  await Promise.all(paths.map(path => queue.add(() => flushFile(join(folder, path)))))
  const folders = new Set(['.'])
  for (const path of paths) for (let at = dirname(path); !folders.has(at); at = dirname(at)) folders.add(at)
  await Promise.all([...folders].map(path => queue.add(() => flushFolder(join(folder, path)))))
}

async function flush(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
