import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { OperatorError } from '../../base/operator-error.ts'

/** Size and SHA-256 of a file in a backup. */
export interface FileDigest {
  sizeBytes: number
  sha256: string
}

/** Writes the files of a backup into an archive or a folder. One call at a time. */
export interface BackupWriter {
  /** Returns where to make the copy of a database. The file does not exist yet. */
  stage(path: string): Promise<string>
  /** Adds the copy that was made there. */
  addStaged(path: string): Promise<FileDigest>
  /** Adds a copy of a file. Fails with the code ENOENT if there is no such file; the backup is not damaged by that. */
  addFile(path: string, file: string): Promise<FileDigest>
  addText(path: string, text: string): Promise<void>
  /** Waits until everything is on the disk. Returns the size of the backup. */
  finish(): Promise<number>
  /** Ends an unfinished backup. The caller removes the files. */
  abort(): Promise<void>
}

const chunkBytes = 1024 * 1024

/**
 * Reads a file that must not change, passes its bytes on, and returns their digest.
 *
 * @throws {OperatorError} when the file becomes shorter meanwhile.
 */
export async function readFileInto(
  handle: FileHandle,
  file: string,
  sizeBytes: number,
  pass: (chunk: Buffer) => Promise<unknown>,
): Promise<FileDigest> {
  const hash = createHash('sha256')
  for (let at = 0; at < sizeBytes; ) {
    const length = Math.min(chunkBytes, sizeBytes - at)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at)
    if (bytesRead === 0) throw new OperatorError(`${file} became shorter while it was copied. Run the backup again.`)
    const chunk = buffer.subarray(0, bytesRead)
    hash.update(chunk)
    await pass(chunk)
    at += bytesRead
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Opens a file to read it, for the time of the work. */
export async function withFile<T>(
  file: string,
  work: (handle: FileHandle, sizeBytes: number) => Promise<T>,
): Promise<T> {
  const handle = await open(file, 'r')
  try {
    return await work(handle, (await handle.stat()).size)
  } finally {
    await handle.close()
  }
}
