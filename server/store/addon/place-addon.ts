import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'

/** Readable and executable by its owner, writable by nobody. */
const fileMode = 0o500
const folderMode = 0o700
const otherWriters = 0o022

/** A folder in which the addon may be placed. */
export interface AddonFolder {
  path: string
  /** Whether the folder is created when it is missing. Its parent must exist, or be creatable too. */
  mayCreate: boolean
}

/** An addon that is not in a file yet. */
export interface PackedAddon {
  /** In hexadecimal digits. */
  sha256: string
  readBytes(): Uint8Array
}

/**
 * Places the bytes of an addon in a folder, under a name with their SHA-256, and returns the path. An existing file is compared
 * and never replaced: another process, or another thread of this one, may have loaded it, and two copies of SQLite in one process
 * lose each other's locks.
 *
 * @throws {Error} with a reason, when the folder cannot be used.
 */
export function placeAddon({ sha256, readBytes }: PackedAddon, { path: folder, mayCreate }: AddonFolder): string {
  if (mayCreate) makeOwnFolder(folder)
  refuseForeignFolder(folder)
  const file = join(folder, `better_sqlite3-${sha256.slice(0, 16)}.node`)
  if (!lstatSync(file, { throwIfNoEntry: false })) linkIfAbsent(readBytes(), file)
  const stats = lstatSync(file)
  if (!stats.isFile()) throw new Error(`${file} is not a file. Delete it.`)
  if (createHash('sha256').update(readFileSync(file)).digest('hex') !== sha256)
    throw new Error(`${file} is damaged. Delete it.`)
  return file
}

/** Creates a folder of Quire. An existing one that a generous umask opened to a group is closed to it. */
function makeOwnFolder(folder: string): void {
  makeFolder(folder, folderMode)
  const { uid, mode } = lstatSync(folder)
  if (uid === process.getuid?.() && (mode & otherWriters) !== 0) chmodSync(folder, mode & ~otherWriters)
}

/** Whoever can write into the folder could let this process run other code. */
function refuseForeignFolder(folder: string): void {
  const user = process.getuid?.()
  if (user === undefined) return
  const { uid, mode } = lstatSync(folder)
  if (uid !== user && uid !== 0) throw new Error(`${folder} belongs to another user.`)
  if ((mode & otherWriters) !== 0) throw new Error(`Other users can write to ${folder}.`)
}

/** Writes a complete file under another name, and links it. If another process was faster, its file stays. */
function linkIfAbsent(bytes: Uint8Array, file: string): void {
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2, 10)}`
  try {
    const handle = openSync(draft, 'wx', fileMode)
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written)
      // After a power cut, the name must not exist without the content.
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    try {
      linkSync(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  } finally {
    rmSync(draft, { force: true })
  }
}
