import { randomInt } from 'node:crypto'

/**
 * Finds numbers by hash, with open addressing. The caller keeps the keys, and compares them:
 *
 * ```
 * for (let number = slots.first(hash); number !== -1; number = slots.next()) if (isSame(number)) return number
 * slots.add(newNumber)
 * ```
 *
 * A cursor is used because a callback for the comparison made each search up to a tenth slower.
 */
export class HashSlots {
  /** Two values per slot: a hash, and its number + 1; 0 = free. At least half of the slots are free. */
  #slots: Int32Array
  #size = 0
  /** Hash of the last search, and the slot where it stands. */
  #hash = 0
  #slot = 0

  /** @param minEntries entries that fit before the first growth; a power of two. */
  constructor(minEntries: number) {
    this.#slots = new Int32Array(minEntries * 4)
  }

  /** Starts a search. Returns a number with this hash (an Int32), in no certain order; -1 = none. */
  first(hash: number): number {
    this.#hash = hash
    this.#slot = (hash << 1) & (this.#slots.length - 2)
    return this.#seek()
  }

  /** Continues the search. Returns another number with the hash; -1 = none. */
  next(): number {
    this.#slot = (this.#slot + 2) & (this.#slots.length - 2)
    return this.#seek()
  }

  /** Adds a number with the hash of the last search, which must have returned -1. */
  add(number: number): void {
    if (this.#size * 4 === this.#slots.length) this.#grow()
    this.#slots[this.#slot] = this.#hash
    this.#slots[this.#slot + 1] = number + 1
    this.#size++
  }

  clear(): void {
    this.#slots.fill(0)
    this.#size = 0
  }

  #seek(): number {
    const slots = this.#slots
    const last = slots.length - 2
    const hash = this.#hash
    let slot = this.#slot
    while (slots[slot + 1] !== 0 && slots[slot] !== hash) slot = (slot + 2) & last
    this.#slot = slot
    return (slots[slot + 1] as number) - 1
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 2)
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue
      const slot = this.#findFree(old[from] as number)
      this.#slots[slot] = old[from] as number
      this.#slots[slot + 1] = old[from + 1] as number
    }
    this.#slot = this.#findFree(this.#hash)
  }

  #findFree(hash: number): number {
    const last = this.#slots.length - 2
    let slot = (hash << 1) & last
    while (this.#slots[slot + 1] !== 0) slot = (slot + 2) & last
    return slot
  }
}

const minEntries = 128
/** Array elements per entry in `#entries`. */
const entryLength = 4

/**
 * Numbers byte strings from 0 in the order they are added, and finds their numbers. It works as a `Map<string, number>`,
 * but creates no strings. A tag is part of the key; it is any integer up to 2^53.
 *
 * The values compared first are adjacent in memory, because at a million entries each access is a cache miss. The table grows without limit until `clear`, so callers that add untrusted input must
 * check `size` and `sizeBytes`.
 */
export class ByteTable {
  readonly #slots = new HashSlots(minEntries)
  /** Per entry: lower and upper half of the tag, start of its bytes in `#held`, and their length. */
  #entries = new Int32Array(minEntries * entryLength)
  #held = new Uint8Array(4096)
  #words = new DataView(this.#held.buffer)
  #size = 0
  #sizeBytes = 0
  /** The buffer of the last `find`, and a view that reads four bytes at a time. The next call mostly has the same buffer. */
  #lastBytes: Uint8Array = this.#held
  #lastWords: DataView = this.#words
  /** The buffer before that one. Converted addresses are in another buffer than the lines, so calls switch between two. */
  #otherBytes: Uint8Array = this.#held
  #otherWords: DataView = this.#words

  get size(): number {
    return this.#size
  }

  /** Total bytes of all entries. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** Finds the number of `bytes` from `start` up to `end`; -1 when they are not in the table. */
  find(bytes: Uint8Array, start: number, end: number, tag = 0): number {
    if (bytes !== this.#lastBytes) this.#switchTo(bytes)
    const slots = this.#slots
    let number = slots.first(hashBytes(this.#lastWords, start, end, tag))
    while (number !== -1 && !this.#holds(number, start, end, tag)) number = slots.next()
    return number
  }

  /** Adds the key that the last `find` did not find, and returns its number. */
  add(bytes: Uint8Array, start: number, end: number, tag = 0): number {
    const number = this.#size
    if (number * entryLength === this.#entries.length) this.#growEntries()
    const length = end - start
    if (this.#sizeBytes + length > this.#held.length) this.#growHeld(this.#sizeBytes + length)
    this.#held.set(bytes.subarray(start, end), this.#sizeBytes)
    const entry = number * entryLength
    this.#entries[entry] = tag | 0
    this.#entries[entry + 1] = tag / 2 ** 32
    this.#entries[entry + 2] = this.#sizeBytes
    this.#entries[entry + 3] = length
    this.#sizeBytes += length
    this.#size++
    this.#slots.add(number)
    return number
  }

  clear(): void {
    this.#slots.clear()
    this.#size = 0
    this.#sizeBytes = 0
  }

  #switchTo(bytes: Uint8Array): void {
    const isOther = bytes === this.#otherBytes
    const words = isOther ? this.#otherWords : new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#otherBytes = this.#lastBytes
    this.#otherWords = this.#lastWords
    this.#lastBytes = bytes
    this.#lastWords = words
  }

  /** Returns whether an entry matches the key of the last `find`. */
  #holds(number: number, start: number, end: number, tag: number): boolean {
    const entries = this.#entries
    const entry = number * entryLength
    const isCandidate =
      entries[entry + 3] === end - start && entries[entry] === (tag | 0) && entries[entry + 1] === ((tag / 2 ** 32) | 0)
    if (!isCandidate) return false
    const words = this.#words
    const sought = this.#lastWords
    let at = entries[entry + 2] as number
    let i = start
    for (; i + 4 <= end; i += 4, at += 4) if (words.getInt32(at, true) !== sought.getInt32(i, true)) return false
    for (; i < end; i++, at++) if (words.getUint8(at) !== sought.getUint8(i)) return false
    return true
  }

  #growEntries(): void {
    const entries = this.#entries
    this.#entries = new Int32Array(entries.length * 2)
    this.#entries.set(entries)
  }

  #growHeld(atLeast: number): void {
    let length = this.#held.length * 2
    while (length < atLeast) length *= 2
    const held = this.#held
    this.#held = new Uint8Array(length)
    this.#held.set(held)
    this.#words = new DataView(this.#held.buffer)
  }
}

/** Random in each process, so that clients cannot choose values that collide. */
const seed = randomInt(2 ** 32)

/** Hashes four bytes per step. The last step is the finalizer of murmur3, which makes the low bits depend on all others. */
function hashBytes(words: DataView, start: number, end: number, tag: number): number {
  let hash = seed ^ Math.imul(tag, 0x27d4eb2f) ^ (end - start)
  let i = start
  for (; i + 4 <= end; i += 4) {
    hash = Math.imul(hash ^ words.getInt32(i, true), 0x5bd1e995)
    hash ^= hash >>> 15
  }
  for (; i < end; i++) hash = Math.imul(hash ^ words.getUint8(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}
