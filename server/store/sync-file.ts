import { open } from 'node:fs/promises'

/** Waits until a file or the names in a folder are on the disk, so that a power cut does not lose them. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Some file systems cannot sync folders.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EINVAL' && code !== 'EPERM' && code !== 'EISDIR') throw error
  } finally {
    await handle.close()
  }
}
