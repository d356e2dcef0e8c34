import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const maxMessageBytes = 1000

/** Thrown when an installed program reports truncated or damaged compressed data. */
export class ExternalDecoderError extends Error {
  /** As in the errors of the built-in decoders, see `isDamage`. */
  readonly code = 'Z_DATA_ERROR'
}

/**
 * Decompresses `pieces` with an installed program that reads standard input, such as `xz -dc`. Yields everything that the
 * program could decompress, and throws at the end when the data is truncated or damaged.
 */
export async function* decompressWith(program: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const child = spawn(program, ['-dc'], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = waitForEnd(child)
  const feeding = feed(pieces, child.stdin)
  // Both are awaited below; the first error must not end the process before.
  ended.catch(() => {})
  feeding.catch(() => {})
  try {
    yield* child.stdout as AsyncIterable<Buffer>
    await feeding
    await ended
  } finally {
    child.kill()
  }
}

async function feed(pieces: AsyncIterable<Buffer>, stdin: Writable): Promise<void> {
  // A program that stops at damaged data closes its input. Its exit code reports the damage.
  stdin.on('error', () => {})
  try {
    for await (const piece of pieces) {
      if (stdin.destroyed) return
      // Copied, because the next piece may reuse the buffer before the program has read this one.
      if (!stdin.write(Buffer.from(piece))) await Promise.race([once(stdin, 'drain'), once(stdin, 'close')])
    }
  } finally {
    stdin.end()
  }
}

async function waitForEnd(child: Child): Promise<void> {
  let message = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(0, maxMessageBytes)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new ExternalDecoderError(message.trim().split('\n')[0] ?? '')
}
