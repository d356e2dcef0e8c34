import { randomInt } from 'node:crypto'

/**
 * Numbers strings of bytes in the order they come, from 0, and finds the number of one it has seen: a `Map<string, number>`
 * that needs no string. A tag, any integer, is part of what is compared.
 *
 * Open addressing over typed arrays: 60 ns for a user agent of 110 bytes, where cutting the string alone takes twice that.
 * It grows as it fills, and forgets only by `clear`: who puts in what others send has to look at `size` and `sizeBytes`.
 */
export class ByteTable {
  /** Number + 1 of what is there, 0 = free. At least half of it is free. */
  #slots = new Int32Array(256)
  #hashes = new Int32Array(128)
  #tags = new Float64Array(128)
  /** Where each entry ends in `#held`, and the next begins. */
  #ends = new Uint32Array(128)
  #held = new Uint8Array(4096)
  #size = 0
  #words = new DataView(this.#held.buffer)
  /** The bytes of the last `find`, four at a time: mostly the same chunk of a log again. */
  #lastBytes: Uint8Array = this.#held
  #lastWords: DataView = this.#words
  /** Of the last `find`: who did not find wants to add. */
  #hash = 0

  get size(): number {
    return this.#size
  }

  /** Bytes of all entries together. */
  get sizeBytes(): number {
    return this.#size === 0 ? 0 : (this.#ends[this.#size - 1] as number)
  }

  /** The number of `bytes` from `start` up to `end`; -1 when it has none. */
  find(bytes: Uint8Array, start: number, end: number, tag = 0): number {
    const slots = this.#slots
    const mask = slots.length - 1
    if (bytes !== this.#lastBytes) {
      this.#lastBytes = bytes
      this.#lastWords = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    const hash = hashBytes(this.#lastWords, start, end, tag)
    this.#hash = hash
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot] as number) - 1
      if (number === -1) return -1
      const isFound = this.#hashes[number] === hash && this.#tags[number] === tag && this.#holds(number, start, end)
      if (isFound) return number
    }
  }

  /** Adds what the last `find` has not found, and gives its number. */
  add(bytes: Uint8Array, start: number, end: number, tag = 0): number {
    const number = this.#size
    if (number === this.#hashes.length) this.#growEntries()
    const from = this.sizeBytes
    const to = from + end - start
    if (to > this.#held.length) this.#growHeld(to)
    this.#held.set(bytes.subarray(start, end), from)
    this.#ends[number] = to
    this.#hashes[number] = this.#hash
    this.#tags[number] = tag
    this.#size++
    this.#place(number)
    return number
  }

  clear(): void {
    this.#slots.fill(0)
    this.#size = 0
  }

  /** Whether an entry is what the last `find` looks for. */
  #holds(number: number, start: number, end: number): boolean {
    const words = this.#words
    const sought = this.#lastWords
    let at = number === 0 ? 0 : (this.#ends[number - 1] as number)
    if ((this.#ends[number] as number) - at !== end - start) return false
    let i = start
    for (; i + 4 <= end; i += 4, at += 4) if (words.getInt32(at, true) !== sought.getInt32(i, true)) return false
    for (; i < end; i++, at++) if (words.getUint8(at) !== sought.getUint8(i)) return false
    return true
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1
    let slot = (this.#hashes[number] as number) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
  }

  #growEntries(): void {
    const length = this.#hashes.length * 2
    this.#hashes = copyInto(new Int32Array(length), this.#hashes)
    this.#tags = copyInto(new Float64Array(length), this.#tags)
    this.#ends = copyInto(new Uint32Array(length), this.#ends)
    this.#slots = new Int32Array(length * 2)
    for (let number = 0; number < this.#size; number++) this.#place(number)
  }

  #growHeld(atLeast: number): void {
    let length = this.#held.length * 2
    while (length < atLeast) length *= 2
    this.#held = copyInto(new Uint8Array(length), this.#held)
    this.#words = new DataView(this.#held.buffer)
  }
}

function copyInto<T extends { set(values: T): void }>(larger: T, values: T): T {
  larger.set(values)
  return larger
}

/** Another one in each process: who writes to a log does not know which of his lines would collide. */
const seed = randomInt(2 ** 32)

/** Four bytes a step. The last step is that of murmur3: its low bits depend on all others. */
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
