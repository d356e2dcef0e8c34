import { createHash, randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, link, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { KeptBody } from '../../export/model/site-cache.ts'

/** Files in one folder, each named by the SHA-256 of its bytes. Every read checks the hash. */
export type KeptBodies = ReturnType<typeof openKeptBodies>

/** Opens the bodies in an existing folder. `names` are the names of its files. */
export function openKeptBodies(folder: string, names: Set<string>) {
  const place = (sha256: string) => join(folder, sha256)

  /** Writes a draft first, so a killed process leaves no incomplete body under the final name. */
  async function putAs(sha256: string, write: (draft: string) => Promise<void>): Promise<void> {
    if (names.has(sha256)) return
    const draft = join(folder, `${randomUUID()}.part`)
    try {
      await write(draft)
      await rename(draft, place(sha256))
      names.add(sha256)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async function isSound({ sha256, sizeBytes }: KeptBody): Promise<boolean> {
    const file = place(sha256)
    if ((await stat(file).catch(() => null))?.size !== sizeBytes) return false
    const hash = createHash('sha256')
    await pipeline(createReadStream(file, { highWaterMark: 1024 ** 2 }), hash)
    return hash.digest('hex') === sha256
  }

  async function discard(sha256: string): Promise<void> {
    names.delete(sha256)
    await rm(place(sha256), { force: true })
  }

  return {
    write: (bytes: Buffer, { sha256 }: KeptBody) => putAs(sha256, draft => writeFile(draft, bytes)),
    /** Copies a file into the folder, as a hard link if `isShared`. Neither file may be written afterwards if they are linked. */
    take: (file: string, { sha256 }: KeptBody, isShared = false) =>
      putAs(sha256, draft => linkOrCopy(file, draft, isShared)),
    /** Returns null if the body is missing or damaged. */
    async read({ sha256 }: KeptBody): Promise<Buffer | null> {
      const bytes = await readFile(place(sha256)).catch(() => null)
      if (bytes && createHash('sha256').update(bytes).digest('hex') === sha256) return bytes
      await discard(sha256)
      return null
    },
    /** Returns false if the body is missing or damaged. */
    async copy(body: KeptBody, file: string, isShared = false): Promise<boolean> {
      if (!(await isSound(body))) {
        await discard(body.sha256)
        return false
      }
      await linkOrCopy(place(body.sha256), file, isShared)
      return true
    },
    /** Removes all bodies except these. */
    async keepOnly(sha256s: ReadonlySet<string>): Promise<void> {
      for (const name of await readdir(folder)) {
        if (sha256s.has(name)) continue
        await discard(name)
      }
    },
  }
}

async function linkOrCopy(from: string, to: string, isShared: boolean): Promise<void> {
  if (isShared) {
    // Hard links fail across file systems and on file systems without links.
    const isLinked = await link(from, to).then(
      () => true,
      () => false,
    )
    if (isLinked) return
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE)
}
