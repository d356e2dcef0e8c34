import type { IncomingMessage } from 'node:http'

/** Reads a body to its end, and returns its first bytes. */
export async function readBody(message: IncomingMessage, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    if (sizeBytes < limitBytes) chunks.push(chunk.subarray(0, limitBytes - sizeBytes))
    sizeBytes += chunk.length
  }
  return Buffer.concat(chunks)
}
