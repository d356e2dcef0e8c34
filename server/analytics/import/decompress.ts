import { setImmediate } from 'node:timers/promises'
import { createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'

type Decoder = Gunzip | ZstdDecompress

/** A compression format of logs, detected from the first bytes. */
export interface Codec {
  name: 'gzip' | 'zstd'
  magic: Buffer
  /** Creates a decoder. It accepts several members or frames in a row. */
  open(): Decoder
}

const chunkBytes = 256 * 1024
/** Number of bytes that identify any codec. */
export const magicBytes = 4

const codecs: readonly Codec[] = [
  { name: 'gzip', magic: Buffer.from([0x1f, 0x8b]), open: () => createGunzip({ chunkSize: chunkBytes }) },
  {
    name: 'zstd',
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    open: () => createZstdDecompress({ chunkSize: chunkBytes }),
  },
]

/** Finds the codec of a file that begins with `head`; undefined when there is none. */
export function findCodec(head: Buffer): Codec | undefined {
  return codecs.find(({ magic }) => head.subarray(0, magic.length).equals(magic))
}

/** Finds the codec of a Content-Encoding (RFC 9110, section 8.4.1; RFC 8878); undefined when there is none. */
export function findCodecOfEncoding(encoding: string): Codec | undefined {
  return codecs.find(({ name }) => name === encoding.replace(/^x-/, ''))
}

/** A compression format that has no built-in decoder. */
export interface ForeignCompression {
  name: string
  magic: Buffer
  /** The program that decompresses standard input with `-dc` if it is installed; undefined = not supported. */
  program?: string
  /** The command that decompresses a file, for the error message. */
  unpack: string
}

const foreign: readonly ForeignCompression[] = [
  { name: 'xz', magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58]), program: 'xz', unpack: 'xz -dc' },
  { name: 'bzip2', magic: Buffer.from('BZh'), program: 'bzip2', unpack: 'bzip2 -dc' },
  { name: 'lz4', magic: Buffer.from([0x04, 0x22, 0x4d, 0x18]), unpack: 'lz4 -dc' },
  { name: 'zip', magic: Buffer.from([0x50, 0x4b, 0x03, 0x04]), unpack: 'unzip -p' },
]

/** Finds the compression format without a built-in decoder of data that begins with `head`; undefined when there is none. */
export function findForeignCompression(head: Buffer): ForeignCompression | undefined {
  return foreign.find(({ magic }) => head.subarray(0, magic.length).equals(magic))
}

/** Returns whether an error reports truncated or damaged compressed data. */
export function isDamage(error: unknown): boolean {
  return /^Z(STD)?_/.test(String((error as NodeJS.ErrnoException | undefined)?.code))
}

/** Returns whether an error reports truncated compressed data. */
export function isTruncation(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'Z_BUF_ERROR'
}

/**
 * Decompresses `pieces`, and throws at the end when the data is truncated or damaged.
 *
 * Yields everything decoded before a damaged piece, but nothing of the damaged piece, because the decoder discards it.
 * `onTaken` is called with each piece that was decoded without an error.
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
    // A decoder stops at data that is not a member or frame.
    if (!decoder.destroyed) await write(piece, decoder)
    const isStopped = decoder.destroyed && !decoder.readableEnded
    if (isFailed || isStopped) return
    await waitUntilRead(decoder)
    fedBytes += piece.length
    const left = Math.min(piece.length, fedBytes - decoder.bytesWritten)
    if (!isPadding(piece.subarray(piece.length - left))) throw new TrailingDataError()
    onTaken(piece)
  }
  // The input is ended only after everything was read, because a decoder discards unread data when its input is
  // truncated.
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

/** Thrown when other bytes follow the compressed data. The zstd decoder would silently skip them. */
class TrailingDataError extends Error {
  readonly code = 'Z_DATA_ERROR'
}

/** Returns whether all bytes are zero. Tapes and some copy tools pad files with zeros. */
function isPadding(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0)
}

/** Waits until all decoded data is read, because an error would discard unread data. */
async function waitUntilRead(decoder: Decoder): Promise<void> {
  while (decoder.readableLength > 0 && !decoder.destroyed) await setImmediate()
}
