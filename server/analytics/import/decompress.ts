import { setImmediate } from 'node:timers/promises'
import { createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'

type Decoder = Gunzip | ZstdDecompress

/** A way that logs are compressed in, told by the first bytes. */
export interface Codec {
  name: 'gzip' | 'zstd'
  magic: Buffer
  /** Takes several members or frames in a row. */
  open(): Decoder
}

const chunkBytes = 256 * 1024
/** So many bytes tell each codec. */
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

/** What else logs are compressed in, and what unpacks it: whoever has such a log should be told. */
const unread = [
  { name: 'xz', magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58]), unpack: 'xz -dc' },
  { name: 'bzip2', magic: Buffer.from('BZh'), unpack: 'bzip2 -dc' },
  { name: 'lz4', magic: Buffer.from([0x04, 0x22, 0x4d, 0x18]), unpack: 'lz4 -dc' },
  { name: 'zip', magic: Buffer.from([0x50, 0x4b, 0x03, 0x04]), unpack: 'unzip -p' },
]

/** How a file that begins with `head` is compressed, when it is in a way that is not read. */
export function findUnreadCompression(head: Buffer): { name: string; unpack: string } | undefined {
  return unread.find(({ magic }) => head.subarray(0, magic.length).equals(magic))
}

/** Whether an error says that compressed data is cut off or damaged. */
export function isDamage(error: unknown): boolean {
  return /^Z(STD)?_/.test(String((error as NodeJS.ErrnoException | undefined)?.code))
}

/** Whether an error says that compressed data ends too early. */
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
  const feeding = feed(pieces, decoder, onTaken)
  feeding.catch(error => decoder.destroy(error))
  try {
    yield* decoder as AsyncIterable<Buffer>
    await feeding
  } finally {
    decoder.destroy()
  }
}

async function feed(pieces: AsyncIterable<Buffer>, decoder: Decoder, onTaken: (piece: Buffer) => void): Promise<void> {
  let fedBytes = 0
  let isFailed = false
  decoder.once('error', () => {
    isFailed = true
  })
  for await (const piece of pieces) {
    // A decoder ends by itself where what follows is no member or frame.
    if (!decoder.destroyed) await write(piece, decoder)
    const isStopped = decoder.destroyed && !decoder.readableEnded
    if (isFailed || isStopped) return
    await drained(decoder)
    fedBytes += piece.length
    const left = Math.min(piece.length, fedBytes - decoder.bytesWritten)
    if (!isPadding(piece.subarray(piece.length - left))) throw new TrailingDataError()
    onTaken(piece)
  }
  // Only when all is handed over: a decoder that finds its input cut off drops the rest.
  decoder.end()
}

function write(piece: Buffer, decoder: Decoder): Promise<void> {
  return new Promise(done => {
    decoder.once('close', done)
    decoder.write(piece, () => {
      decoder.off('close', done)
      done()
    })
  })
}

/** Says that behind the compressed data stands what is none: the decoder of zstd would pass it over in silence. */
class TrailingDataError extends Error {
  readonly code = 'Z_DATA_ERROR'
}

/** Tapes and some copiers fill a file up with zeros. */
function isPadding(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0)
}

/** Waits until the reader has taken all that is decoded: what an error finds still there is lost. */
async function drained(decoder: Decoder): Promise<void> {
  while (decoder.readableLength > 0 && !decoder.destroyed) await setImmediate()
}
