import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endLeftProcesses } from '../session/job-processes.ts'

/** Locks a folder while this process lives. Null = another process has locked it. Otherwise a function that ends the lock. */
export type LockFolder = (folder: string) => (() => void) | null

export interface WorkFolder {
  path: string
  /** Removes the folder. */
  close(): Promise<void>
}

/**
 * Creates a folder for the jobs of this process. Several processes can have the same data folder, such as one that starts while
 * another one ends its jobs. So only processes and files of a runner that was killed are removed: its folder is not locked.
 */
export async function openWorkFolder(workFolders: string, lockFolder: LockFolder): Promise<WorkFolder> {
  await mkdir(workFolders, { recursive: true, mode: 0o700 })
  for (const name of await readdir(workFolders))
    if (!name.startsWith(newPrefix)) await sweep(join(workFolders, name), lockFolder)
  // Short, because the address of a socket in it is limited.
  const name = randomBytes(4).toString('hex')
  const unlocked = join(workFolders, newPrefix + name)
  await mkdir(unlocked, { mode: 0o700 })
  const unlock = lockFolder(unlocked)
  const path = join(workFolders, name)
  // Another process that starts never sees it without its lock.
  await rename(unlocked, path)
  return {
    path,
    async close() {
      await removeJobFolder(path)
      unlock?.()
    },
  }
}

/** Begins the name of a folder that is not locked yet. */
const newPrefix = '.'

async function sweep(folder: string, lockFolder: LockFolder): Promise<void> {
  const unlock = lockFolder(folder)
  if (!unlock) return
  try {
    await endLeftProcesses(folder)
    await removeJobFolder(folder)
  } finally {
    unlock()
  }
}

/** Removes a folder, also if an agent has made folders in it that nobody may list. */
export async function removeJobFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await openFolders(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Links are not followed: their entries are no folders. */
async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name))
}
