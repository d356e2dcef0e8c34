import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'

/** A file that appears under its name when it is complete. */
export interface PartFile {
  write(bytes: Buffer): Promise<void>
  /** Gives the file its name. Returns its size. */
  keep(): Promise<number>
  /** Removes the file, unless it was kept. */
  close(): Promise<void>
}

/** Opens `file.part`; a file with this name is left by a killed run, and replaced. */
export async function openPartFile(file: string): Promise<PartFile> {
  const part = `${file}.part`
  await rm(part, { force: true })
  const stream = createWriteStream(part, { flags: 'wx', highWaterMark: 1024 ** 2 })
  await once(stream, 'open')
  let isKept = false
  return {
    async write(bytes) {
      if (!stream.write(bytes)) await once(stream, 'drain')
    },
    async keep() {
      stream.end()
      await once(stream, 'close')
      await rename(part, file)
      isKept = true
      return stream.bytesWritten
    },
    async close() {
      if (isKept) return
      stream.destroy()
      await rm(part, { force: true })
    },
  }
}
