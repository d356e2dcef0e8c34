import { createHmac } from 'node:crypto'

/** Number of bytes at the beginning that identify a file: a few lines with their times. */
export const headBytes = 1024

/**
 * The beginning of a file, as far as it was read. The NULs before it are left out: copytruncate leaves them if the web server goes
 * on at its old place, and then all generations of the log begin with them.
 */
export class LogHead {
  /** The number of NULs before the head. */
  readonly start: number
  /** At most `headBytes`. */
  readonly bytes: Buffer

  constructor(start = 0, bytes: Buffer = Buffer.alloc(0)) {
    this.start = start
    this.bytes = bytes
  }

  get isEmpty(): boolean {
    return this.bytes.length === 0
  }

  get isComplete(): boolean {
    return this.bytes.length >= headBytes
  }

  /** Adds bytes that were read at this offset of the file, if they continue the head. Copies them. */
  withNext(read: Buffer, at: number): LogHead {
    if (this.isComplete || at !== this.start + this.bytes.length) return this
    const nuls = this.isEmpty ? countNuls(read) : 0
    const bytes = Buffer.concat([this.bytes, read.subarray(nuls, nuls + headBytes - this.bytes.length)])
    return new LogHead(this.start + nuls, bytes)
  }

  /** Returns the bytes of the head that are before an offset of the file. */
  before(offset: number): Buffer {
    return this.bytes.subarray(0, Math.max(0, offset - this.start))
  }
}

function countNuls(bytes: Buffer): number {
  let count = 0
  while (bytes[count] === 0) count++
  return count
}

/** Fingerprint of the beginning of a file; the bytes themselves are not stored because log lines contain addresses. */
export interface HeadFingerprint {
  /** Number of bytes that the fingerprint covers: the bytes read so far, up to `headBytes`. */
  bytes: number
  /** The first 16 bytes of the HMAC-SHA-256 over these bytes, in hex. */
  print: string
}

export type FingerprintHead = (head: Uint8Array) => HeadFingerprint

/**
 * Creates the function that fingerprints heads, with a key derived from the secret of the visitor hash. Without a key, the
 * address in a single line could be found by hashing every possible address.
 */
export function createHeadFingerprinter(visitorKey: Uint8Array): FingerprintHead {
  const key = createHmac('sha256', visitorKey).update('head of a followed log').digest()
  return head => ({
    bytes: head.length,
    print: createHmac('sha256', key).update(head).digest('hex').slice(0, 32),
  })
}
