import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { digest } from '../../base/digest.ts'
import { createQueue } from '../../base/queue.ts'

/** The file at the top of a bundle that lists the others. */
export const manifestName = 'quire-manifest.json'

/** The first field of every manifest of this kind. */
export const manifestFormat = 'quire-manifest-1'

/** What a bundle consists of, and its own rules. It has no time of the export, so that the same site gives the same bytes. */
export interface Manifest {
  format: typeof manifestFormat
  /** The program that made the bundle, with its version. */
  engine: string
  site: string
  version: string | null
  pages: number
  /**
   * The latest day on which a page says that it was changed, such as `2026-11-27`; null = no page says so. Last-Modified is
   * not used: it changes with each deployment, although the site is the same.
   */
  newestPage: string | null
  rules: {
    /** What may be in the archive: the files of this list and the manifest, and no links. */
    contents: { onlyListed: true; links: false }
    /** How a static host serves it: what answers a path that ends in a slash, and a path without a file. */
    serving: { index: 'index.html'; notFound: string | null; places: readonly ('root' | 'folder' | 'file')[] }
    /** Products that pages load from their vendors; with none, pages ask only their own host. */
    outsideProducts: string[]
  }
  /** All files but the manifest, by their paths. */
  files: Record<string, FileDigest>
}

export interface FileDigest {
  sha256: string
  sizeBytes: number
}

/** Larger files are hashed as streams. */
const maxWholeBytes = 4 * 1024 ** 2
const parallelFiles = 4

/**
 * Hashes files, several at once.
 *
 * @param see called with the bytes of each file that is not large.
 * @return the digests in the order of `paths`.
 */
export async function digestFiles(
  folder: string,
  paths: readonly string[],
  { signal, see }: { signal: AbortSignal; see?(path: string, bytes: Buffer): void },
): Promise<[path: string, FileDigest][]> {
  const queue = createQueue(parallelFiles)
  const digestFile = async (path: string): Promise<[string, FileDigest]> => {
    signal.throwIfAborted()
    const file = join(folder, path)
    const { size: sizeBytes } = await stat(file)
    if (sizeBytes > maxWholeBytes) {
      const hash = createHash('sha256')
      await pipeline(createReadStream(file), hash)
      return [path, { sha256: hash.digest('hex'), sizeBytes }]
    }
    const bytes = await readFile(file)
    see?.(path, bytes)
    return [path, { sha256: digest(bytes), sizeBytes: bytes.length }]
  }
  return Promise.all(paths.map(path => queue.add(() => digestFile(path))))
}
