// Apart from `send-stream.ts`, which the package for integrators contains: it runs on Node 20, which cannot transfer buffers.
import { type Readable, Writable } from 'node:stream'
import type { Response } from 'express'
import { sendStream } from './send-stream.ts'

/**
 * Sends a stream like `sendStream`, and frees the memory of each chunk when it is written: V8 collects it late, after up to 50 MB of
 * it. Nobody else may use the chunks. The chunk that completes the `Content-Length` ends the answer, so that a client that leaves when it
 * has everything is not logged as one that left before.
 *
 * @throws {Error} what the stream throws
 */
export function sendAndFree(res: Response, stream: Readable): Promise<void> {
  return sendStream(createFreeingWriter(res), stream)
}

function createFreeingWriter(res: Response): Writable {
  let missingBytes = Number(res.getHeader('Content-Length') ?? Number.POSITIVE_INFINITY)
  const writer = new Writable({
    write(chunk: Uint8Array, _, done) {
      missingBytes -= chunk.byteLength
      const onSent = (error?: Error | null) => {
        // The client has gone, as the pipeline then says too.
        if (error) return writer.destroy()
        free(chunk)
        done()
      }
      if (missingBytes > 0) res.write(chunk, onSent)
      else res.end(chunk, onSent)
    },
    final: done => void res.end(done),
    destroy(error, done) {
      if (!res.writableFinished) res.destroy()
      done(error)
    },
  })
  if (res.destroyed) writer.destroy()
  else res.once('close', () => writer.destroy())
  return writer
}

/** Small chunks may share their memory with others. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
