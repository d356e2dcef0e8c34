import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Models a disk that forgets everything that was not flushed: the bytes of a file since its last flush, and the names in a
 * folder since the last flush of that folder.
 */
export class ForgetfulDisk {
  readonly #folder: string
  /** The flushed bytes of each file, by its inode. */
  readonly #bytes = new Map<number, string>()
  /** The flushed names in each folder, with the inode of each. */
  readonly #names = new Map<string, Map<string, number>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Called after a file or folder was flushed. */
  sync(path: string): void {
    const stats = statSync(path)
    if (stats.isDirectory()) {
      this.#names.set(path, new Map(readdirSync(path).map(name => [name, statSync(join(path, name)).ino])))
    } else this.#bytes.set(stats.ino, readFileSync(path, 'utf8'))
  }

  /** Returns the files of a folder after a power cut now, each with its bytes. undefined = the folder is gone. */
  read(name: string): Map<string, string> | undefined {
    const path = join(this.#folder, name)
    const inode = this.#names.get(this.#folder)?.get(name)
    if (inode === undefined || !existsSync(path) || statSync(path).ino !== inode) return undefined
    const files = this.#names.get(path) ?? new Map<string, number>()
    return new Map([...files].map(([file, ino]) => [file, this.#bytes.get(ino) ?? '']))
  }
}
