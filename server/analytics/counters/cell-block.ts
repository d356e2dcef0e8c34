import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Day } from '../day.ts'

/** Whole numbers from 0, in the narrowest type that holds the largest one. */
export type Column = Uint8Array | Uint16Array | Uint32Array

/**
 * The counters of a day or a month in their stored form. They are sorted by previous day, then by page, so the counters
 * that a range sums come first. Pages are identified by id (see `toPageId`), not by a number in order of arrival. The
 * same visits therefore give the same bytes in any order of arrival.
 *
 * `Cells` defines the counters. Counters of the whole site are stored separately because they are few and large.
 */
export interface CellBlock {
  /** Ids of the pages, ascending: `idsHigh` has the upper 16 of 48 bits, `idsLow` has the lower 32. */
  idsHigh: Uint16Array
  idsLow: Uint32Array
  /** The distinct previous days, ascending. */
  previous: Int32Array
  /** The end of each previous day's counters in the columns below. */
  ends: Uint32Array
  /** Index of each counter's page in the ids. */
  pages: Column
  human: Column
  ai: Column
  total: Column
  site: { previous: Int32Array; human: Uint32Array; ai: Uint32Array; total: Uint32Array }
}

/** Returns the number of counters with a previous day before `from`. These counters come first in the block. */
export function countBefore({ previous, ends }: CellBlock, from: Day): number {
  let low = 0
  let high = previous.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((previous[middle] as number) < from) low = middle + 1
    else high = middle
  }
  return low === 0 ? 0 : (ends[low - 1] as number)
}

const layoutVersion = 1
const headerNumbers = 9

/**
 * Encodes a block in layout 1: little-endian, compressed with Zstandard. The header has nine 32-bit numbers: 1; the
 * numbers of pages, previous days, counters and site counters; the bytes per element of the columns pages, human, ai and
 * total. The columns follow in the order of `CellBlock`, each padded to a multiple of 4 bytes.
 */
export function encodeBlock(block: CellBlock): Uint8Array {
  const { idsHigh, idsLow, previous, ends, pages, human, ai, total, site } = block
  const header = Uint32Array.of(
    layoutVersion,
    idsLow.length,
    previous.length,
    pages.length,
    site.previous.length,
    ...[pages, human, ai, total].map(column => column.BYTES_PER_ELEMENT),
  )
  const columns = [header, idsHigh, idsLow, previous, ends, pages, human, ai, total]
  const all = [...columns, site.previous, site.human, site.ai, site.total]
  const bytes = new Uint8Array(all.reduce((size, column) => size + padded(column.byteLength), 0))
  let at = 0
  for (const column of all) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at)
    at += padded(column.byteLength)
  }
  // The frame contains the content size, which reveals a truncated block.
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  })
}

/** @throws {Error} when the bytes are damaged or in a later layout. */
export function decodeBlock(compressed: Uint8Array): CellBlock {
  const bytes = aligned(zstdDecompressSync(compressed))
  const { buffer, byteOffset } = bytes
  const header = new Uint32Array(buffer, byteOffset, headerNumbers)
  const [version, idCount, previousCount, length, siteLength, ...widths] = header as unknown as [number, ...number[]] &
    [number, number, number, number, number]
  if (version !== layoutVersion)
    throw new Error(`The counters have layout ${version}; this version of Quire reads layout ${layoutVersion}.`)
  let at = byteOffset + headerNumbers * 4
  const take = <Taken extends Column | Int32Array>(make: (at: number) => Taken): Taken => {
    const column = make(at)
    at += padded(column.byteLength)
    return column
  }
  const takeColumn = (width: number | undefined) =>
    take<Column>(from =>
      width === 1
        ? new Uint8Array(buffer, from, length)
        : width === 2
          ? new Uint16Array(buffer, from, length)
          : new Uint32Array(buffer, from, length),
    )
  return {
    idsHigh: take(from => new Uint16Array(buffer, from, idCount)),
    idsLow: take(from => new Uint32Array(buffer, from, idCount)),
    previous: take(from => new Int32Array(buffer, from, previousCount)),
    ends: take(from => new Uint32Array(buffer, from, previousCount)),
    pages: takeColumn(widths[0]),
    human: takeColumn(widths[1]),
    ai: takeColumn(widths[2]),
    total: takeColumn(widths[3]),
    site: {
      previous: take(from => new Int32Array(buffer, from, siteLength)),
      human: take(from => new Uint32Array(buffer, from, siteLength)),
      ai: take(from => new Uint32Array(buffer, from, siteLength)),
      total: take(from => new Uint32Array(buffer, from, siteLength)),
    },
  }
}

function padded(byteLength: number): number {
  return (byteLength + 3) & ~3
}

/** Copies the bytes unless their offset is a multiple of 4. 32-bit columns that are read in place need this alignment. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
}

/** Copies numbers into the narrowest column that holds all of them. */
export function toColumn(numbers: Uint32Array): Column {
  let largest = 0
  for (let i = 0; i < numbers.length; i++) if ((numbers[i] as number) > largest) largest = numbers[i] as number
  if (largest <= 0xff) return Uint8Array.from(numbers)
  return largest <= 0xffff ? Uint16Array.from(numbers) : numbers
}
