import { mkdir, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import type { ArchiveEntry } from './archive-entry.ts'
import { ArchiveError } from './archive-error.ts'
import { readTarGz } from './read-tar.ts'
import { readZip } from './read-zip.ts'
import type { UnpackLimits } from './unpack-limits.ts'

export type ArchiveFormat = 'zip' | 'tar.gz'

export interface UnpackOptions {
  /** The archive. */
  file: string
  /** A new or empty folder that no other process writes into. */
  folder: string
  limits: UnpackLimits
  signal: AbortSignal
}

/** Returns the format of an archive by its first bytes; null = neither zip nor gzip. */
export async function detectFormat(file: string): Promise<ArchiveFormat | null> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (bytesRead >= 2 && buffer[0] === 0x1f && buffer[1] === 0x8b) return 'tar.gz'
    return bytesRead === 4 && buffer[0] === 0x50 && buffer[1] === 0x4b ? 'zip' : null
  } finally {
    await handle.close()
  }
}

/**
 * Unpacks a zip or tar.gz, which may be hostile: writes only files and folders, only below `folder`, and follows no link. If
 * it fails, the caller removes the folder.
 *
 * @return the paths of the files, with slashes, in the order of the archive.
 * @throws {ArchiveError} when the archive is damaged, or contains what may not be unpacked.
 */
export async function unpackArchive({ file, folder, limits, signal }: UnpackOptions): Promise<string[]> {
  const format = await detectFormat(file)
  if (!format) throw new ArchiveError(`${basename(file)} is neither a zip nor a tar.gz.`)
  const made = new Set<string>()
  const makeFolder = async (path: string) => {
    if (made.has(path)) return
    await mkdir(path, { recursive: true })
    made.add(path)
  }
  await makeFolder(folder)
  const paths: string[] = []
  try {
    const entries = format === 'zip' ? readZip(file, limits) : readTarGz(file, limits)
    for await (const { path, isFolder, content } of entries) {
      signal.throwIfAborted()
      const to = join(folder, path)
      await makeFolder(isFolder ? to : dirname(to))
      if (isFolder) await skip(content)
      else {
        await writeContent(to, content)
        paths.push(path)
      }
    }
    return paths
  } catch (error) {
    throw signal.aborted ? signal.reason : explainDamage(error)
  }
}

async function skip(content: ArchiveEntry['content']): Promise<void> {
  for await (const _ of content);
}

async function writeContent(file: string, content: ArchiveEntry['content']): Promise<void> {
  // 'wx' never follows a link and never replaces a file.
  const handle = await open(file, 'wx')
  try {
    // Unlike write, writeFile goes on after a short write, such as the last one on a disk that becomes full.
    for await (const chunk of content) await handle.writeFile(chunk)
  } finally {
    await handle.close()
  }
}

/** Turns an error of the formats into a sentence. Errors of the file system have a code in capitals, those of zlib start with Z_. */
export function explainDamage(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const isFormat = code === undefined || /^Z_|^ERR_/.test(code)
  if (error instanceof OperatorError || !isFormat) return error
  return new ArchiveError(`The archive is damaged or not complete (${message}).`, { cause: error })
}
