import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import type { ArchiveEntry } from './archive-entry.ts'
import { ArchiveError, showName } from './archive-error.ts'
import { createEntryNames } from './entry-names.ts'
import { createMeter, type UnpackLimits, type UnpackMeter } from './unpack-limits.ts'

/** A tar ends with two blocks of zeros. */
const endBytes = 1024

/**
 * Yields the files and folders of a tar.gz.
 *
 * @throws {ArchiveError}
 */
export async function* readTarGz(file: string, limits: UnpackLimits): AsyncGenerator<ArchiveEntry> {
  const names = createEntryNames()
  const meter = createMeter(limits, (await stat(file)).size)
  const tail = watchTail(meter)
  const unpack = extract()
  const fed = pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), createGunzip(), tail.stream, unpack)
  fed.catch(() => {})
  // The first stream that fails destroys the others, and only the pipeline knows its error.
  const findCause = (error: unknown) =>
    error instanceof ArchiveError
      ? error
      : fed.then(
          () => error,
          (cause: unknown) => cause,
        )
  async function* explained(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* content
    } catch (error) {
      throw await findCause(error)
    }
  }
  try {
    for await (const entry of unpack) {
      meter.addEntry()
      const { name, type } = entry.header
      if (type !== 'file' && type !== 'directory')
        throw new ArchiveError(`The archive contains ${showName(name)}, which is neither a file nor a folder.`)
      const isFolder = type === 'directory'
      const path = names.check(name, isFolder)
      if (path === null) entry.resume()
      else yield { path, isFolder, content: explained(entry as AsyncIterable<Buffer>) }
    }
    await fed
    if (!tail.isEnded()) throw new ArchiveError('The archive is not complete: its end is missing.')
  } catch (error) {
    throw await findCause(error)
  } finally {
    unpack.destroy()
    await fed.catch(() => {})
  }
}

/** Counts the bytes of a tar, with its headers and padding, and keeps the last ones. */
function watchTail(meter: UnpackMeter) {
  let tail = Buffer.alloc(0)
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        meter.addBytes(chunk.length)
      } catch (error) {
        return done(error as Error)
      }
      tail = Buffer.concat([tail, chunk.subarray(-endBytes)]).subarray(-endBytes)
      done(null, chunk)
    },
  })
  return { stream, isEnded: () => tail.length === endBytes && tail.every(byte => byte === 0) }
}
