import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { writing } from './target-file.ts'

/** The file that a download is written to until it is whole, with the hash of what it has. */
export class PartFile {
  readonly path: string
  readonly #handle: FileHandle
  #hash: Hash = createHash('sha256')
  #sizeBytes = 0

  private constructor(path: string, handle: FileHandle) {
    this.path = path
    this.#handle = handle
  }

  /**
   * Opens the file, and reads what an earlier download left in it. The caller closes it.
   *
   * @throws {WriteError} as the other methods do
   */
  static async open(path: string): Promise<PartFile> {
    const part = new PartFile(path, await writing(path, () => open(path, 'a')))
    try {
      for await (const chunk of createReadStream(path)) {
        part.#hash.update(chunk)
        part.#sizeBytes += chunk.length
      }
      return part
    } catch (error) {
      await part.close()
      throw error
    }
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  async append(bytes: Uint8Array): Promise<void> {
    await writing(this.path, () => this.#handle.appendFile(bytes))
    this.#hash.update(bytes)
    this.#sizeBytes += bytes.length
  }

  /** Empties the file. */
  async clear(): Promise<void> {
    await writing(this.path, () => this.#handle.truncate(0))
    this.#hash = createHash('sha256')
    this.#sizeBytes = 0
  }

  /** Returns the SHA-256 of the content in hexadecimal, after it is on the disk. */
  async finish(): Promise<string> {
    await writing(this.path, () => this.#handle.sync())
    return this.#hash.copy().digest('hex')
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
