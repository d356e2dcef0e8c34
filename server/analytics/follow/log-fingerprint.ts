import { createHmac } from 'node:crypto'

/** How much of the beginning of a file tells it from every other: some lines with their times. */
export const headBytes = 1024

/** The beginning of a file, without saying what it is: lines of a log hold addresses. */
export interface HeadPrint {
  /** How many bytes it covers, up to `headBytes`: those that had been read. */
  bytes: number
  /** Keyed SHA-256 of them, 16 bytes in hex. */
  print: string
}

export type PrintHead = (head: Uint8Array) => HeadPrint

/**
 * Makes prints of heads under a key derived from the secret of the visitor hash: a bare hash of one line could be tried
 * out with every address there is.
 */
export function createPrintHead(visitorKey: Uint8Array): PrintHead {
  const key = createHmac('sha256', visitorKey).update('head of a followed log').digest()
  return head => ({
    bytes: head.length,
    print: createHmac('sha256', key).update(head).digest('hex').slice(0, 32),
  })
}
