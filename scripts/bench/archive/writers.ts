import { zipFiles } from '../../../server/export/archive/zip-files.ts'
import { type ArchiverSettings, zipWithArchiver } from './archiver-zip.ts'

/** The compression level of server/export/archive/archive.ts. */
const level = 5

/** A way to write a ZIP. */
export interface ZipWriter {
  name: string
  isArchiver: boolean
  write(folder: string, paths: readonly string[]): AsyncGenerator<Buffer>
}

/** The writers to compare; the first is the baseline. archiver runs with the fastest settings that were tried. */
export const writers: readonly ZipWriter[] = [
  {
    name: 'zip-files.ts',
    isArchiver: false,
    write: (folder, paths) => zipFiles(folder, paths, level),
  },
  archiver('archiver, one entry at a time', { queued: 1, chunkBytes: 16 * 1024 }),
  archiver('archiver, four entries queued', { queued: 4, chunkBytes: 16 * 1024 }),
  archiver('archiver, four queued, 64 kB chunks', { queued: 4, chunkBytes: 64 * 1024 }),
]

function archiver(name: string, settings: ArchiverSettings): ZipWriter {
  return { name, isArchiver: true, write: (folder, paths) => zipWithArchiver(folder, paths, level, settings) }
}
