import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushFile, flushFolder } from '../../base/flush.ts'
import { type BackupWriter, readFileInto, withFile } from './backup-writer.ts'

/** Writes a backup as a folder, which does not exist yet. Everything in it is private. */
export async function createFolderWriter(folder: string, onBytes: (bytes: number) => void): Promise<BackupWriter> {
  await mkdir(folder, { mode: 0o700 })
  const folders = new Set([folder])
  let totalBytes = 0

  async function prepare(path: string): Promise<string> {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    for (let parent = dirname(file); !folders.has(parent); parent = dirname(parent)) folders.add(parent)
    return file
  }

  return {
    stage: prepare,
    async addStaged(path) {
      const file = join(folder, path)
      await flushFile(file)
      const digest = await withFile(file, (handle, size) => readFileInto(handle, file, size, async () => {}))
      totalBytes += digest.sizeBytes
      return digest
    },
    addFile: (path, file) =>
      withFile(file, async (handle, size) => {
        const copy = await open(await prepare(path), 'wx', 0o600)
        try {
          const digest = await readFileInto(handle, file, size, async chunk => {
            await copy.writeFile(chunk)
            onBytes(chunk.length)
          })
          await copy.sync()
          totalBytes += digest.sizeBytes
          return digest
        } finally {
          await copy.close()
        }
      }),
    async addText(path, text) {
      const file = await open(await prepare(path), 'wx', 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      totalBytes += Buffer.byteLength(text)
    },
    async finish() {
      for (const each of folders) await flushFolder(each)
      return totalBytes
    },
    abort: async () => {},
  }
}
