import { createHash, type Hash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeControls } from '../../base/escape-controls.ts'
import { RunError } from '../run-end.ts'
import { isInFolders, whyForbidden } from './file-names.ts'

export interface TreeFile {
  /** With slashes, below the root of the tree. */
  path: string
  sizeBytes: number
}

/** O_NOFOLLOW: the last part of the name may not be a link. O_NONBLOCK: opening a FIFO does not wait for its writer. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY
const pieceBytes = 1 << 20

/**
 * An open folder. On Linux, its entries are opened through its descriptor, so that a process that is still alive cannot lead the
 * walk elsewhere by replacing a folder by a link. Elsewhere there is no such path, and the agent has ended before.
 */
class Folder {
  readonly #handle: FileHandle
  readonly location: string
  constructor(handle: FileHandle, path: string) {
    this.#handle = handle
    const location = `/proc/self/fd/${handle.fd}`
    this.location = existsSync(location) ? location : path
  }

  static async open(path: string): Promise<Folder> {
    return new Folder(await open(path, folderFlags), path)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

/**
 * Lists the files of an agent's tree. Nothing is followed or read.
 *
 * @param maxEntries more files and folders than this are an error.
 * @throws {RunError} change_refused names the first path that may not be there: a link, a device, a hidden file, a file outside of the
 *   folders; change_limit for too many files.
 */
export async function listTree(tree: string, folders: readonly string[], maxEntries: number): Promise<TreeFile[]> {
  const files: TreeFile[] = []
  let entries = 0
  const walk = async (folder: Folder, prefix: string) => {
    for await (const { name } of await opendir(folder.location)) {
      if (++entries > maxEntries) throw new RunError('change_limit', 'The agent left too many files in its folder.')
      const path = prefix + name
      const location = join(folder.location, name)
      const reason = whyForbidden(path)
      if (reason !== undefined) refuse(path, reason)
      const found = await lstat(location).catch(error => refuse(path, 'it cannot be opened', error))
      if (!found.isDirectory() && !found.isFile()) refuse(path, 'it is a link or a device')
      if (found.isDirectory()) {
        // A folder above the allowed ones has no files of its own.
        if (!isInFolders(path, folders) && !folders.some(allowed => `${allowed}/`.startsWith(`${path}/`)))
          refuse(path, 'it is outside of the folders')
        await enter(location, path, child => walk(child, `${path}/`))
      } else {
        if (!isInFolders(path, folders)) refuse(path, 'it is outside of the folders')
        if (found.nlink !== 1) refuse(path, 'it is a hard link')
        files.push({ path, sizeBytes: found.size })
      }
    }
  }
  await enter(tree, '.', root => walk(root, ''))
  return files
}

async function enter(location: string, path: string, use: (folder: Folder) => Promise<void>): Promise<void> {
  const folder = await Folder.open(location).catch(error => refuse(path, 'it cannot be opened', error))
  try {
    await use(folder)
  } finally {
    await folder.close()
  }
}

/**
 * Reads a file of the tree, piece by piece, without following any link in its path.
 *
 * @throws {RunError} change_refused if it is not the file that was listed.
 */
export async function readTreeFile(
  tree: string,
  { path, sizeBytes }: TreeFile,
  use: (piece: Buffer) => void,
): Promise<void> {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  const read = async (folder: Folder, rest: readonly string[]): Promise<void> => {
    const [next, ...others] = rest
    if (next !== undefined) return enter(join(folder.location, next), path, child => read(child, others))
    const location = join(folder.location, name)
    const file = await open(location, readFlags).catch(error => refuse(path, 'it cannot be opened', error))
    try {
      const found = await file.stat()
      if (!found.isFile() || found.nlink !== 1 || found.size !== sizeBytes) refuse(path, 'it changed while it was read')
      await readPieces(file, sizeBytes, use)
    } finally {
      await file.close()
    }
  }
  await enter(tree, path, root => read(root, parts))
}

async function readPieces(file: FileHandle, sizeBytes: number, use: (piece: Buffer) => void): Promise<void> {
  for (let at = 0; at < sizeBytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) throw new RunError('change_refused', 'A file of the agent became shorter while it was read.')
    use(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

/** Starts the digest that git names a file's content by. */
export function startDigest(sizeBytes: number, oid: string): Hash {
  return createHash(oid.length === 64 ? 'sha256' : 'sha1').update(`blob ${sizeBytes}\0`)
}

export function refuse(path: string, reason: string, cause?: unknown): never {
  const shown = escapeControls(path.length > 200 ? `${path.slice(0, 200)}…` : path)
  throw new RunError('change_refused', `The agent made ${shown}, which is never committed: ${reason}.`, { cause })
}
