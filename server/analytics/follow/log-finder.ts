import { open } from 'node:fs/promises'
import { readCompressedHead } from './compressed-log.ts'
import type { FollowPosition } from './follow-position.ts'
import { findEntry, isAbsence, type LogEntry, RotationUnderWayError } from './log-entries.ts'
import { type HeadPrint, headBytes, type PrintHead } from './log-fingerprint.ts'
import { readAt } from './plain-log.ts'

/** What tells a file from the others, and when it was last written to if it is none of them. */
export interface LogIdentity extends Pick<FollowPosition, 'file' | 'head' | 'modifiedAtMs'> {
  /** Its inode cannot be given to another file, as long as it is open. */
  isOpen?: boolean
}

const maxPrints = 1000

/** Finds files again by their device and inode, or by their head after they were copied or compressed. */
export class LogFinder {
  readonly #path: string
  readonly #printHead: PrintHead
  readonly #prints = new Map<string, string>()

  /** @param path of the followed log. */
  constructor(path: string, printHead: PrintHead) {
    this.#path = path
    this.#printHead = printHead
  }

  /** The entry that goes on where the position is: the file itself, or else the longest copy; undefined when there is none. */
  async findContinuation(position: FollowPosition, entries: readonly LogEntry[]): Promise<LogEntry | undefined> {
    // A file that may still be written to never shrinks: it was emptied.
    const able = entries.filter(
      entry => entry.isCompressed || this.isCopy(entry, position) || entry.sizeBytes >= position.offset,
    )
    return this.#find(position, able)
  }

  /** Those that begin after this file ends, oldest first. */
  async findNewer(identity: LogIdentity, entries: readonly LogEntry[]): Promise<LogEntry[]> {
    const found = await this.#find(identity, entries)
    if (found) return entries.slice(entries.indexOf(found) + 1)
    return entries.filter(({ path, modifiedAtMs }) => path === this.#path || modifiedAtMs > identity.modifiedAtMs)
  }

  /** Whether the entry is another file than the one at the position, and no log that is written to. */
  isCopy({ path, file }: LogEntry, position: Pick<FollowPosition, 'file'>): boolean {
    return path !== this.#path && file !== position.file
  }

  /** Where to begin with a log that was never followed: all that had been rotated away before is not ours to read. */
  async findBeginning(entries: readonly LogEntry[]): Promise<FollowPosition | null> {
    for (const entry of entries.filter(({ path }) => path !== this.#path).reverse()) {
      const bytes = await readHead(entry, headBytes)
      const { file, sizeBytes, modifiedAtMs } = entry
      const head = this.#printHead(bytes)
      if (bytes.length > 0) return { file, head, offset: sizeBytes, modifiedAtMs, isFinished: true }
    }
    return null
  }

  async #find({ file, head, isOpen }: LogIdentity, entries: readonly LogEntry[]): Promise<LogEntry | undefined> {
    const same = entries.find(entry => entry.file === file)
    if (same && (isOpen || (await this.#hasHead(same, head)))) return same
    let longest: LogEntry | undefined
    for (const entry of entries) {
      if (longest && entry.sizeBytes <= longest.sizeBytes) continue
      if (await this.#hasHead(entry, head)) longest = entry
    }
    return longest
  }

  async #hasHead(entry: LogEntry, { bytes, print }: HeadPrint): Promise<boolean> {
    if (bytes === 0 || (!entry.isCompressed && entry.sizeBytes < bytes)) return false
    const key = `${entry.file} ${entry.sizeBytes} ${entry.modifiedAtMs} ${bytes}`
    let found = this.#prints.get(key)
    if (found === undefined) {
      found = this.#printHead(await readHead(entry, bytes)).print
      if (this.#prints.size >= maxPrints) this.#prints.clear()
      this.#prints.set(key, found)
    }
    return found === print
  }
}

/** @throws {RotationUnderWayError} when the file has another name by now. */
async function readHead({ path, file, isCompressed }: LogEntry, bytes: number): Promise<Buffer> {
  try {
    const head = isCompressed ? await readCompressedHead(path, bytes) : await readPlainHead(path, bytes)
    if ((await findEntry(path))?.file === file) return head
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  throw new RotationUnderWayError()
}

async function readPlainHead(path: string, bytes: number): Promise<Buffer> {
  const handle = await open(path)
  try {
    return await readAt(handle, 0, Buffer.alloc(bytes))
  } finally {
    await handle.close()
  }
}
