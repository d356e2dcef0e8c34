import { basename } from 'node:path'
import { ArchiveError, showName } from './archive-error.ts'
import { readTarGz } from './read-tar.ts'
import { readZip } from './read-zip.ts'
import { detectFormat, explainDamage } from './unpack-archive.ts'
import type { UnpackLimits } from './unpack-limits.ts'

/**
 * Reads one file of a zip or tar.gz, without unpacking the others. A tar.gz is decompressed up to that file.
 *
 * @param options.maxBytes of the file, unpacked
 * @return undefined if the archive has no such file
 * @throws {ArchiveError} when the archive is damaged, exceeds a limit, or the file is larger than `maxBytes`.
 */
export async function readArchivedFile(
  file: string,
  path: string,
  { limits, maxBytes }: { limits: Record<'zip' | 'tar.gz', UnpackLimits>; maxBytes: number },
): Promise<Buffer | undefined> {
  try {
    const format = await detectFormat(file)
    if (!format) throw new ArchiveError(`${basename(file)} is neither a zip nor a tar.gz.`)
    for await (const entry of format === 'zip' ? readZip(file, limits.zip) : readTarGz(file, limits['tar.gz'])) {
      if (entry.path === path && !entry.isFolder) return await collect(entry.content, path, maxBytes)
      // A tar comes to its next entry when the content of this one was read; a zip reads no content that is not asked for.
      if (format === 'tar.gz') for await (const _ of entry.content);
    }
    return undefined
  } catch (error) {
    throw explainDamage(error)
  }
}

async function collect(content: AsyncIterable<Buffer>, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ArchiveError(`${showName(path)} in the archive is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
