import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { flushFile } from '../../base/flush.ts'
import { type BackupWriter, readFileInto, withFile } from './backup-writer.ts'

export interface TarWriterOptions {
  /** The archive to write. It must not exist. */
  file: string
  isCompressed: boolean
  /** For copies of databases, until they are in the archive. It must not exist. */
  stagingFolder: string
  createdAt: Date
  onBytes(bytes: number): void
}

/** Writes a backup as a tar or tar.gz. */
export async function createTarWriter(options: TarWriterOptions): Promise<BackupWriter> {
  const { file, stagingFolder, onBytes } = options
  await mkdir(stagingFolder, { mode: 0o700 })
  const archive = openArchive(options)
  const places = new Map<string, string>()

  const add = (path: string, source: string, onChunk: (bytes: number) => void) =>
    withFile(source, async (handle, size) => {
      const entry = archive.begin(path, size)
      const digest = await readFileInto(handle, source, size, async chunk => {
        onChunk(chunk.length)
        await entry.write(chunk)
      })
      await entry.end()
      return digest
    })

  return {
    async stage(path) {
      // A number, because the folders of the path do not exist here.
      const place = join(stagingFolder, String(places.size))
      places.set(path, place)
      return place
    },
    async addStaged(path) {
      const place = places.get(path) as string
      const digest = await add(path, place, () => {})
      await rm(place)
      return digest
    },
    addFile: (path, source) => add(path, source, onBytes),
    async addText(path, text) {
      const bytes = Buffer.from(text)
      const entry = archive.begin(path, bytes.length)
      await entry.write(bytes)
      await entry.end()
    },
    async finish() {
      await archive.finish()
      await flushFile(file)
      return (await stat(file)).size
    },
    abort: archive.abort,
  }
}

/** Opens the archive. Its entries are written one after the other. */
function openArchive({ file, isCompressed, createdAt: mtime }: TarWriterOptions) {
  const archive = pack()
  const sink = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  const bytes = Readable.from(archive)
  const written = isCompressed ? pipeline(bytes, createGzip(), sink) : pipeline(bytes, sink)
  let failure: Error | undefined
  let open: { destroy(error: Error): void } | undefined
  written.catch(error => {
    failure = error
    // Ends the step that waits for the archive.
    open?.destroy(error)
  })

  return {
    begin(name: string, size: number) {
      if (failure) throw failure
      const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
      ended.catch(() => {})
      const header = { name, size, type: 'file', mode: 0o600, mtime } as const
      const entry = archive.entry(header, error => (error ? reject(error) : resolve()))
      entry.on('error', reject)
      open = entry
      return {
        async write(chunk: Buffer): Promise<void> {
          if (!entry.write(chunk)) await once(entry, 'drain')
        },
        async end(): Promise<void> {
          entry.end(null)
          await ended
        },
      }
    },
    async finish(): Promise<void> {
      archive.finalize()
      await written
    },
    async abort(): Promise<void> {
      archive.destroy()
      await written.catch(() => {})
    },
  }
}
