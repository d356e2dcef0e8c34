import type { Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'

/** A way that logs are compressed in, told by the first bytes. */
export interface Codec {
  name: 'gzip' | 'zstd'
  magic: Buffer
  /** Takes several members or frames in a row. */
  open(): Transform
}

const chunkBytes = 256 * 1024
export const magicBytes = 4

const codecs: readonly Codec[] = [
  { name: 'gzip', magic: Buffer.from([0x1f, 0x8b]), open: () => createGunzip({ chunkSize: chunkBytes }) },
  {
    name: 'zstd',
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    open: () => createZstdDecompress({ chunkSize: chunkBytes }),
  },
]

/** What a file is compressed by that begins with `head`; undefined when it is not. */
export function findCodec(head: Buffer): Codec | undefined {
  return codecs.find(({ magic }) => head.subarray(0, magic.length).equals(magic))
}

/** Whether an error says that compressed data is cut off or damaged. */
export function isDamage(error: unknown): boolean {
  return /^Z(STD)?_/.test(String((error as NodeJS.ErrnoException | undefined)?.code))
}

export function isCutOff(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'Z_BUF_ERROR'
}

/**
 * Decompresses what `pieces` gives; at the end throws when it was cut off or damaged.
 *
 * All that was decoded of the pieces before the last one comes out. Of a last one with damage in it nothing does: the decoder
 * throws away what it had of it. `onTaken` is told of each piece that was taken without an error.
 */
export async function* decompress(
  codec: Codec,
  pieces: AsyncIterable<Buffer>,
  onTaken: (piece: Buffer) => void = () => {},
): AsyncGenerator<Buffer> {
  const decoder = codec.open()
  feed(pieces, decoder, onTaken).catch(error => decoder.destroy(error))
  try {
    yield* decoder as AsyncIterable<Buffer>
  } finally {
    decoder.destroy()
  }
}

async function feed(
  pieces: AsyncIterable<Buffer>,
  decoder: Transform,
  onTaken: (piece: Buffer) => void,
): Promise<void> {
  let isFailed = false
  decoder.once('error', () => {
    isFailed = true
  })
  for await (const piece of pieces) {
    await new Promise<void>(done => {
      decoder.once('close', done)
      decoder.write(piece, () => {
        decoder.off('close', done)
        done()
      })
    })
    if (decoder.destroyed || isFailed) return
    onTaken(piece)
    await drained(decoder)
  }
  // Only when all is handed over: a decoder that finds its input cut off drops the rest.
  decoder.end()
}

/** Waits until the reader has taken all that is decoded: what an error finds still there is lost. */
async function drained(decoder: Transform): Promise<void> {
  while (decoder.readableLength > 0 && !decoder.destroyed) await setImmediate()
}
