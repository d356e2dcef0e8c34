import { chmod, chown, link, lstat, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { flushFolder } from '../../base/flush.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { atTopOfDisk, mainDatabase } from './data-files.ts'

/**
 * Moves checked files from a folder in the data folder to their places. The main database comes last: without it, the folder
 * is not a data folder yet.
 *
 * @param scratch the only other name in the data folder.
 * @throws {OperatorError} when another process has written to the data folder in the meantime.
 */
export async function placeFiles(from: string, dataFolder: string, scratch: string): Promise<void> {
  await finishFolder(from, await findOwner(dataFolder))
  const others = (await readdir(dataFolder)).filter(name => name !== basename(scratch) && name !== atTopOfDisk)
  const names = (await readdir(from)).filter(name => name !== mainDatabase)
  if (others.length > 0) throw written(dataFolder)
  const placed: string[] = []
  try {
    for (const name of names) {
      await rename(join(from, name), join(dataFolder, name))
      placed.push(name)
    }
    await placeMain(from, dataFolder)
  } catch (error) {
    for (const name of placed) await rename(join(dataFolder, name), join(from, name))
    throw error
  }
  await chmod(dataFolder, 0o700).catch(() => {})
  await flushFolder(dataFolder)
}

async function placeMain(from: string, dataFolder: string): Promise<void> {
  const [made, path] = [join(from, mainDatabase), join(dataFolder, mainDatabase)]
  await link(made, path).catch(async error => {
    if (error.code === 'EEXIST' || (await lstat(path).catch(() => null))) throw written(dataFolder)
    // A file system without hard links.
    return rename(made, path)
  })
  await rm(made, { force: true })
}

function written(dataFolder: string): OperatorError {
  return new OperatorError(
    `Another process has written to ${dataFolder} in the meantime. Stop it, empty the folder, and restore again.`,
  )
}

/** Returns the owner that the files get; undefined = the user of this process. Root restores for the owner of the folder. */
async function findOwner(dataFolder: string): Promise<{ uid: number; gid: number } | undefined> {
  const { uid, gid } = await stat(dataFolder)
  return process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined
}

/** Gives the files in a folder their owner, and waits until the names are on the disk. */
async function finishFolder(folder: string, owner: { uid: number; gid: number } | undefined): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await finishFolder(path, owner)
    if (owner) await chown(path, owner.uid, owner.gid)
  }
  await flushFolder(folder)
}
