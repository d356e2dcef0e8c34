import type { LogObject } from '../import/log-bucket.ts'

const version = 1

/** A day in a key: 2026-11-20, 2026/11/20, year=2026/month=11/day=20, or 20261120 with an hour or nothing behind it. */
const dayPattern =
  /(?<![A-Z\d])(?:19|20)\d\d([-_/.]?)(?:month=)?(?:0[1-9]|1[0-2])\1(?:day=)?(?:[0-2]\d|3[01])(?:\d\d)?(?!\d)/

/** Returns what stands before the day in a key; undefined = the key has none. Keys with the same beginning sort by time. */
function findStem(key: string): string | undefined {
  const found = dayPattern.exec(key)
  return found ? key.slice(0, found.index) : undefined
}

/**
 * Which objects of a bucket were counted. Of keys with the same stem, all are counted up to one key, and those behind it that
 * are remembered by their ETag. That one key is an object older than the overlap: a service that delivers an object at most that
 * long after the time in its key delivers nothing before it any more. An object without a day in its key is remembered as long
 * as it exists.
 */
export class BucketPosition {
  readonly #overlapMs: number
  /** The last key of each stem before which all are counted. */
  readonly #ends: Map<string, string>
  /** The ETags of other counted objects by their keys. */
  readonly #counted: Map<string, string>
  /** The keys and stems that this round met, and the stems whose end stays where it is in this round. */
  #met = new Set<string>()
  #heldStems = new Set<string>()
  /** Whether something changed since `format`. */
  isChanged = false

  /** @param text the output of `format`; undefined = nothing was counted */
  constructor(text: string | undefined, overlapMs: number) {
    const read = text === undefined ? { version, ends: [], counted: [] } : JSON.parse(text)
    if (read.version !== version)
      throw new Error('The position in the bucket was written by a newer Quire. Upgrade Quire.')
    this.#overlapMs = overlapMs
    this.#ends = new Map(read.ends)
    this.#counted = new Map(read.counted)
  }

  format(): string {
    this.isChanged = false
    return JSON.stringify({ version, ends: [...this.#ends], counted: [...this.#counted] })
  }

  /** Begins to list all objects. */
  startRound(): void {
    this.#met = new Set()
    this.#heldStems = new Set()
  }

  /** Returns the key after which listing goes on; undefined = the object is not before the end of its stem. */
  findEnd({ key }: LogObject): string | undefined {
    const stem = findStem(key)
    const end = stem === undefined ? undefined : this.#ends.get(stem)
    if (stem === undefined || end === undefined || key > end) return undefined
    this.#met.add(stem)
    return end
  }

  isCounted({ key, etag }: LogObject): boolean {
    return this.#counted.get(key) === etag
  }

  add({ key, etag }: LogObject): void {
    this.#counted.set(key, etag)
    this.isChanged = true
  }

  /** Moves the end of the stem if the object is counted and old. Call it for each object in the order of the listing. */
  pass(object: LogObject, now: number): void {
    const { key } = object
    this.#met.add(key)
    const stem = findStem(key)
    if (stem === undefined) return
    this.#met.add(stem)
    if (!this.isCounted(object) || object.modifiedAtMs + this.#overlapMs > now) this.#heldStems.add(stem)
    if (this.#heldStems.has(stem)) return
    this.#ends.set(stem, key)
    this.#counted.delete(key)
    this.isChanged = true
  }

  /** Forgets what the bucket no longer has. Call it when all objects were listed. */
  endRound(): void {
    for (const key of this.#counted.keys()) if (!this.#met.has(key)) this.#counted.delete(key)
    for (const stem of this.#ends.keys()) if (!this.#met.has(stem)) this.#ends.delete(stem)
  }
}
