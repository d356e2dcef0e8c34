import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Day } from '../day.ts'
import { never } from './cells.ts'

/** A part of the counters in their order; it begins where the piece before it ends. */
export interface Piece {
  end: number
  /** Ranges that begin on this day or earlier need no counter after the piece. */
  before: Day
}

/** The pieces of the counters after those of first visits, which ranges of all time need alone. */
const laterPieces = 4
const endOfDays = 0x7fffffff

/** Cuts the counters of a block, see `CellBlock.previous` and `ends`. */
export function cutPieces(previous: Int32Array, ends: Uint32Array): Piece[] {
  const length = ends.at(-1) ?? 0
  const first = previous[0] === never ? (ends[0] as number) : 0
  const pieces: Piece[] = []
  for (let i = 0; i <= laterPieces; i++) {
    // A multiple of 4, so that a column of any width that ends there needs no padding.
    const end = Math.min(length, Math.ceil((first + ((length - first) * i) / laterPieces) / 4) * 4)
    const before = previous[ends.findIndex(groupEnd => groupEnd > end)] ?? endOfDays
    if (end > (pieces.at(-1)?.end ?? 0)) pieces.push({ end, before })
  }
  return pieces
}

/** A frame with this number is skipped by each reader of Zstandard (RFC 8878, 3.1.2). */
const skippable = 0x184d2a50

/** Compresses bytes in one frame. */
export function compress(bytes: Uint8Array): Buffer {
  // The frame contains the content size, which reveals a truncated block.
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  })
}

/**
 * Compresses bytes in several frames, behind a skippable frame that lists them in 32-bit numbers, little-endian: the number
 * of pieces, `end` and `before` of each, and the compressed size of each frame.
 *
 * @param starts the first byte of each frame, ascending
 */
export function compressFrames(bytes: Uint8Array, starts: readonly number[], pieces: readonly Piece[]): Uint8Array {
  const frames = starts.map((start, i) => compress(bytes.subarray(start, starts[i + 1])))
  const numbers = [pieces.length, ...pieces.flatMap(({ end, before }) => [end, before]), ...frames.map(f => f.length)]
  const list = Int32Array.of(skippable, numbers.length * 4, ...numbers)
  return Buffer.concat([new Uint8Array(list.buffer), ...frames])
}

/** Lists what `compressFrames` wrote. Returns undefined when the bytes are one frame. */
export function listFrames(stored: Uint8Array): { pieces: Piece[]; frames: Uint8Array[] } | undefined {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength)
  const read = (index: number) => view.getInt32(index * 4, true)
  if (read(0) !== skippable) return undefined
  const sizesFrom = 3 + 2 * read(2)
  const pieces = Array.from({ length: read(2) }, (_, i) => ({ end: read(3 + 2 * i), before: read(4 + 2 * i) }))
  const sizesTo = 2 + read(1) / 4
  const frames: Uint8Array[] = []
  for (let i = sizesFrom, at = sizesTo * 4; i < sizesTo; i++) {
    frames.push(stored.subarray(at, at + read(i)))
    at += read(i)
  }
  return { pieces, frames }
}

/** Decompresses frames, and joins what they contain. */
export function decompress(frames: readonly Uint8Array[]): Uint8Array {
  return zstdDecompressSync(Buffer.concat(frames))
}
