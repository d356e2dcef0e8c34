import { createHmac } from 'node:crypto'

/** Number of bytes at the beginning that identify a file: a few lines with their times. */
export const headBytes = 1024

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
