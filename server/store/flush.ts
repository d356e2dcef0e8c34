import { open } from 'node:fs/promises'

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

async function flush(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
