import { open } from 'node:fs/promises'
import { readCompressedHead } from './compressed-log.ts'
import type { FollowPosition } from './follow-position.ts'
import { findEntry, isAbsence, type LogEntry, RotationUnderWayError } from './log-entries.ts'
import type { FingerprintHead, HeadFingerprint, LogHead } from './log-fingerprint.ts'
import { readPlainHead } from './plain-log.ts'

/** Identifies a file among the entries; the time of the last write decides when no entry matches. */
export interface LogIdentity extends Pick<FollowPosition, 'file' | 'head' | 'modifiedAtMs'> {
  /** Whether the file is open. No other file can get the inode of an open file. */
  isOpen?: boolean
}

const maxFingerprints = 1000

/** Finds files again by device and inode, or by their head after they were copied or compressed. */
export class LogFinder {
  readonly #path: string
  readonly #fingerprintHead: FingerprintHead
  readonly #fingerprints = new Map<string, string>()
  /** Whether the last file was found by its head, and another file has the same head. */
  isAmbiguous = false

  /** @param path the path of the followed log. */
  constructor(path: string, fingerprintHead: FingerprintHead) {
    this.#path = path
    this.#fingerprintHead = fingerprintHead
  }

  /** Returns the entry to resume in: the file itself, otherwise its longest copy; undefined when neither exists. */
  async findContinuation(position: FollowPosition, entries: readonly LogEntry[]): Promise<LogEntry | undefined> {
    // A file that may still be written to never shrinks, so a file shorter than the offset was emptied.
    const candidates = entries.filter(
      entry => entry.isCompressed || this.isCopy(entry, position) || entry.sizeBytes >= position.offset,
    )
    return this.#find(position, candidates)
  }

  /** Returns the entries newer than this file, oldest first. */
  async findNewer(identity: LogIdentity, entries: readonly LogEntry[]): Promise<LogEntry[]> {
    const found = await this.#find(identity, entries)
    if (found) return entries.slice(entries.indexOf(found) + 1)
    return entries.filter(({ path, modifiedAtMs }) => path === this.#path || modifiedAtMs > identity.modifiedAtMs)
  }

  /** Returns whether the entry is neither the log itself nor the file of the position. */
  isCopy({ path, file }: LogEntry, position: Pick<FollowPosition, 'file'>): boolean {
    return path !== this.#path && file !== position.file
  }

  /** Finds the start position in a log that was never followed: the end of its newest non-empty rotated file. */
  async findBeginning(entries: readonly LogEntry[]): Promise<FollowPosition | null> {
    for (const entry of entries.filter(({ path }) => path !== this.#path).reverse()) {
      const { bytes, isEmpty } = await readHead(entry)
      const { file, sizeBytes, modifiedAtMs } = entry
      const head = this.#fingerprintHead(bytes)
      if (!isEmpty) return { file, head, offset: sizeBytes, modifiedAtMs, isFinished: true }
    }
    return null
  }

  async #find({ file, head, isOpen }: LogIdentity, entries: readonly LogEntry[]): Promise<LogEntry | undefined> {
    const same = entries.find(entry => entry.file === file)
    this.isAmbiguous = false
    if (same && (isOpen || (await this.#hasHead(same, head)))) return same
    let longest: LogEntry | undefined
    for (const entry of entries) {
      if (!(await this.#hasHead(entry, head))) continue
      this.isAmbiguous = longest !== undefined
      if (!longest || entry.sizeBytes > longest.sizeBytes) longest = entry
    }
    return longest
  }

  async #hasHead(entry: LogEntry, { bytes, print }: HeadFingerprint): Promise<boolean> {
    if (bytes === 0 || (!entry.isCompressed && entry.sizeBytes < bytes)) return false
    const key = `${entry.file} ${entry.sizeBytes} ${entry.modifiedAtMs} ${bytes}`
    let found = this.#fingerprints.get(key)
    if (found === undefined) {
      found = this.#fingerprintHead((await readHead(entry)).bytes.subarray(0, bytes)).print
      if (this.#fingerprints.size >= maxFingerprints) this.#fingerprints.clear()
      this.#fingerprints.set(key, found)
    }
    return found === print
  }
}

/** @throws {RotationUnderWayError} when the file was renamed meanwhile. */
async function readHead({ path, file, isCompressed }: LogEntry): Promise<LogHead> {
  try {
    const head = isCompressed ? await readCompressedHead(path) : await openHead(path)
    if ((await findEntry(path))?.file === file) return head
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  throw new RotationUnderWayError()
}

async function openHead(path: string): Promise<LogHead> {
  const handle = await open(path)
  try {
    return await readPlainHead(handle)
  } finally {
    await handle.close()
  }
}
