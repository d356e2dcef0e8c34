import { constants, type Stats } from 'node:fs'
import { access, link, lstat, readdir, realpath, rename, rm, statfs } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { flushFolder } from '../../base/flush.ts'
import { describeBytes } from '../../base/format-bytes.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { aboutName } from './data-files.ts'
import { readBackup } from './read-backup.ts'

export type BackupKind = 'tar' | 'tar.gz' | 'folder'

/** Where a backup is written. */
export interface BackupTarget {
  path: string
  kind: BackupKind
  overwrite: boolean
}

/** Endings of archives that Quire does not write. A folder with such a name would be a surprise. */
const otherArchive = /\.(zip|gz|zst|xz|bz2|lz4|7z|db|sqlite)$/i

/**
 * Decides by its name whether a backup is an archive or a folder, and checks that it can be written.
 *
 * @throws {OperatorError}
 */
export async function checkTarget(name: string, dataFolder: string, overwrite: boolean): Promise<BackupTarget> {
  const path = resolve(name)
  const kind = /\.tar$/i.test(name) ? 'tar' : /\.(tar\.gz|tgz)$/i.test(name) ? 'tar.gz' : 'folder'
  if (kind === 'folder' && otherArchive.test(name)) {
    throw new OperatorError(
      `${name}: use a name that ends in .tar or .tar.gz for one file, or a name without such an ending for a folder.`,
      2,
    )
  }
  const parent = dirname(path)
  const realParent = await realpath(parent).catch(() => null)
  if (realParent === null) throw new OperatorError(`${name}: the folder ${parent} does not exist. Create it.`, 2)
  const data = withSlash(await realpath(dataFolder))
  if (withSlash(realParent).startsWith(data)) {
    throw new OperatorError(`${name} is inside the data folder. Name a place outside, best on another disk.`, 2)
  }
  if (data.startsWith(withSlash(join(realParent, basename(path))))) {
    throw new OperatorError(`${name} contains the data folder. Choose another name, best on another disk.`, 2)
  }
  await access(parent, constants.W_OK).catch(() => {
    throw new OperatorError(`${name}: you may not write to the folder ${parent}. Choose another, or another user.`, 2)
  })
  const existing = await lstat(path).catch(() => null)
  if (existing) await checkExisting({ path, kind, overwrite }, existing)
  return { path, kind, overwrite }
}

function withSlash(path: string): string {
  return path.endsWith(sep) ? path : path + sep
}

async function checkExisting({ path, kind, overwrite }: BackupTarget, existing: Stats): Promise<void> {
  const isRight = kind === 'folder' ? existing.isDirectory() : existing.isFile()
  if (!isRight) {
    const wanted = kind === 'folder' ? 'a folder, or a file that ends in .tar or .tar.gz' : 'a file'
    throw new OperatorError(`${path} exists, and is not ${wanted}. Choose another name.`, 2)
  }
  const names = kind === 'folder' ? await readdir(path) : ['']
  if (names.length === 0) return
  if (!overwrite) throw exists(path)
  const isBackup = kind === 'folder' ? names.includes(aboutName) : await isArchiveOfQuire(path)
  if (!isBackup) {
    throw new OperatorError(`${path} is not a backup, so it is not replaced. Choose another name.`)
  }
}

/** Whether the first file of an archive is that of a backup. */
async function isArchiveOfQuire(path: string): Promise<boolean> {
  try {
    // The schema does not matter, because only the first file is read.
    for await (const first of readBackup(path, Number.MAX_SAFE_INTEGER)) return first.path === aboutName
  } catch {
    // It is another archive, or none.
  }
  return false
}

function exists(path: string): OperatorError {
  return new OperatorError(`${path} already exists. Choose another name, or replace it with --overwrite.`)
}

/** @throws {OperatorError} when the disk has too little room for the files of a backup. */
export async function checkRoom(target: BackupTarget, neededBytes: number): Promise<void> {
  // The compressed size is not known in advance.
  if (target.kind === 'tar.gz') return
  const parent = dirname(target.path)
  const { bavail, bsize } = await statfs(parent)
  const freeBytes = bavail * bsize
  if (freeBytes >= neededBytes) return
  throw new OperatorError(
    `The backup needs ${describeBytes(neededBytes)}, and the disk of ${parent} has ${describeBytes(freeBytes)} free. Free some space, or choose another disk.`,
  )
}

/**
 * Renames a complete backup to its final name. So this name never stands for an incomplete backup.
 *
 * @param made on the same file system as the target.
 */
export async function publish(made: string, target: BackupTarget): Promise<void> {
  const { path, kind, overwrite } = target
  if (kind === 'folder') await publishFolder(made, target)
  else if (overwrite) await rename(made, path)
  else await renameNew(made, path)
  await flushFolder(dirname(path))
}

/** Renames a file, and never replaces another one. */
async function renameNew(made: string, path: string): Promise<void> {
  try {
    await link(made, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists(path)
    // A file system without hard links.
    if (await lstat(path).catch(() => null)) throw exists(path)
    return rename(made, path)
  }
  await rm(made)
}

async function publishFolder(made: string, { path, overwrite }: BackupTarget): Promise<void> {
  // Stays beside the new backup if the process is killed in between.
  const replaced = join(dirname(made), 'replaced')
  const isReplaced =
    overwrite &&
    (await rename(path, replaced).then(
      () => true,
      () => false,
    ))
  try {
    // Replaces an empty folder only.
    await rename(made, path)
  } catch (error) {
    if (isReplaced) await rename(replaced, path)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') throw exists(path)
    if (code === 'EBUSY' || code === 'EXDEV') {
      throw new OperatorError(`${path} is the top of another disk. Name a new folder in it.`, 2, { cause: error })
    }
    throw error
  }
  if (isReplaced) await rm(replaced, { recursive: true })
}
