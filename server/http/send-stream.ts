import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

/** A client that reads nothing for this long is disconnected, because its answer takes memory until it is read. */
const patienceMs = 60_000

/**
 * Sends a body in parts, as fast as the client reads. A body that fails half-way breaks the connection, so that the client
 * does not take it for the whole.
 *
 * @throws {Error} what the body throws
 */
export async function sendParts(
  res: Response,
  body: AsyncIterable<Uint8Array>,
  { stallMs = patienceMs }: { stallMs?: number } = {},
): Promise<void> {
  // Its `destroy` calls `return` of the iterator, also if nothing was read.
  const parts = Readable.from(body)
  if (res.req.method === 'HEAD') {
    parts.destroy()
    res.end()
    return
  }
  // Without `writableNeedDrain`, the client waits for the body, and not the body for the client.
  res.setTimeout(stallMs, () => {
    if (res.writableNeedDrain) res.destroy()
  })
  await sendStream(res, parts)
}

/**
 * Sends a stream, and closes it in any case: also if the client went away before.
 *
 * @param to the response, or what writes to it
 * @throws {Error} what the stream throws
 */
export async function sendStream(to: Writable, stream: Readable): Promise<void> {
  try {
    await pipeline(stream, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The client has gone.
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ERR_STREAM_UNABLE_TO_PIPE') throw error
  } finally {
    // A pipeline to an answer that was closed before leaves the stream open.
    stream.destroy()
  }
}
