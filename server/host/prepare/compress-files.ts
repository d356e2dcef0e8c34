import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { createQueue } from '../../base/queue.ts'
import { type Encoding, encodings, filesFolder, packedFolder } from '../versions/version.ts'
import { isCompressible } from './compressible.ts'

/** A larger file is compressed as a stream. */
const maxWholeBytes = 1024 ** 2
/** A compressed file that is hardly smaller is not worth the time to unpack it. */
const worthwhileShare = 0.95
/** Files that wait in the queue. */
const batch = 256

/** Brotli at 6 makes the Python docs 15 % smaller than gzip at 6, in 1.7 times the CPU; at 9 it takes 9 times as long for 2 % more. */
const brotliOptions = (sizeBytes: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: sizeBytes },
})
const gzipOptions = { level: 6 }

const brotliWhole = promisify(brotliCompress)
const gzipWhole = promisify(gzip)

/**
 * Compresses the files of a version once, so that requests need not. Originals stay, for clients that accept no compression.
 *
 * @param folder of the version.
 * @param paths of its files, relative to the folder with the files.
 * @param threads how many files are compressed at once.
 * @return the paths of the new files, relative to `folder`.
 */
export async function compressFiles(
  folder: string,
  paths: readonly string[],
  threads: number,
  signal: AbortSignal,
): Promise<string[]> {
  const written: string[] = []
  const queue = createQueue(threads)
  for (let at = 0; at < paths.length; at += batch) {
    const some = paths.slice(at, at + batch)
    await Promise.all(
      some.map(path => queue.add(async () => written.push(...(await compressFile(folder, path, signal))))),
    )
  }
  return written
}

async function compressFile(folder: string, path: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted()
  const file = join(folder, filesFolder, path)
  const { size } = await stat(file)
  if (!isCompressible(path, size)) return []
  const written: string[] = []
  const whole = size <= maxWholeBytes ? await readFile(file) : null
  for (const encoding of encodings) {
    const to = join(packedFolder(encoding), path)
    const target = join(folder, to)
    await mkdir(dirname(target), { recursive: true })
    if (whole) {
      const packed = await packWhole(encoding, whole)
      if (packed.length > size * worthwhileShare) continue
      await writeFile(target, packed)
    } else {
      const packer = encoding === 'br' ? createBrotliCompress(brotliOptions(size)) : createGzip(gzipOptions)
      await pipeline(createReadStream(file), packer, createWriteStream(target), { signal })
      if ((await stat(target)).size > size * worthwhileShare) {
        await rm(target)
        continue
      }
    }
    written.push(to)
  }
  return written
}

function packWhole(encoding: Encoding, bytes: Buffer): Promise<Buffer> {
  return encoding === 'br' ? brotliWhole(bytes, brotliOptions(bytes.length)) : gzipWhole(bytes, gzipOptions)
}
