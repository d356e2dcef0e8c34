import { hash } from 'node:crypto'
import { BoundedCache } from '../../base/bounded-cache.ts'
import type { Day } from '../day.ts'
import { compress, compressFrames, cutPieces, decompress, listFrames } from './block-frames.ts'

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

/** Index of the columns `pages` and `site.previous` in the stored order. */
const [pagesColumn, siteColumn] = [5, 9]
/** Smaller blocks gain nothing from frames. */
const minFramed = 4096

/**
 * Encodes a block in layout 1: little-endian, compressed with Zstandard. The header has nine 32-bit numbers: 1; the
 * numbers of pages, previous days, counters and site counters; the bytes per element of the columns pages, human, ai and
 * total. The columns follow in the order of `CellBlock`, each padded to a multiple of 4 bytes.
 */
export function encodeBlock(block: CellBlock): Uint8Array {
  return compress(layOut(block).bytes)
}

/**
 * Encodes the block of a month in layout 1 too, but in several frames, so that a reader decompresses only what it sums. The
 * columns with an element per counter are cut into pieces. Each piece of a column is a frame; so is what is before these
 * columns, and the site. With 5 million visits of 10,000 pages, a year decodes its blocks in 29 % less time, all time in
 * 69 % less, and totals take 0.4 ms instead of 9. Blocks of days are small and became slower.
 */
export function encodeFramedBlock(block: CellBlock): Uint8Array {
  if (block.pages.length < minFramed) return encodeBlock(block)
  const { bytes, starts } = layOut(block)
  const pieces = cutPieces(block.previous, block.ends)
  const counterFrames = [block.pages, block.human, block.ai, block.total].flatMap((column, i) =>
    [0, ...pieces.slice(0, -1).map(({ end }) => end)].map(
      from => (starts[pagesColumn + i] as number) + from * column.BYTES_PER_ELEMENT,
    ),
  )
  return compressFrames(bytes, [0, ...counterFrames, starts[siteColumn] as number], pieces)
}

function layOut(block: CellBlock): { bytes: Uint8Array; starts: number[] } {
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
  const starts: number[] = []
  let at = 0
  for (const column of all) {
    starts.push(at)
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at)
    at += padded(column.byteLength)
  }
  return { bytes, starts }
}

/**
 * Decodes a block, in one frame or in several.
 *
 * @param from the first day of a range; counters with a later previous day may be missing then
 * @throws {Error} when the bytes are damaged or in a later layout
 */
export function decodeBlock(stored: Uint8Array, from?: Day): CellBlock {
  const list = listFrames(stored)
  if (!list || from === undefined) return readBlock(decompress([stored]))
  const { pieces, frames } = list
  const last = pieces.findIndex(({ before }) => from <= before)
  const needed = frames.filter((_, i) => i === 0 || i === frames.length - 1 || (i - 1) % pieces.length <= last)
  return readBlock(decompress(needed), pieces[last]?.end)
}

/** At most so many bytes of counters of sites are kept, twice: those of 400 days need about 1 MB. */
const maxSiteBytes = 8 * 1024 * 1024
/**
 * Decoded counters of sites, by the SHA-256 of what is stored. A report of a year asks for the same days for its total, its months and its
 * comparison, and most days never change again. To decompress them was half of the time of such a report.
 */
const knownSites = new BoundedCache<string, CellBlock['site']>(
  maxSiteBytes,
  (_, site) => 100 + site.previous.length * 16,
)

/** Decodes only the counters of the whole site. They must not be changed. */
export function decodeSite(stored: Uint8Array): CellBlock['site'] {
  const frame = listFrames(stored)?.frames.at(-1)
  const digest = hash('sha256', frame ?? stored, 'base64')
  const known = knownSites.get(digest)
  if (known) return known
  const site = frame ? readSite(frame) : copySite(decodeBlock(stored).site)
  knownSites.set(digest, site)
  return site
}

/** Copies the counters out of the bytes of the whole block, which are large. */
function copySite({ previous, human, ai, total }: CellBlock['site']): CellBlock['site'] {
  return { previous: previous.slice(), human: human.slice(), ai: ai.slice(), total: total.slice() }
}

function readSite(frame: Uint8Array): CellBlock['site'] {
  const { buffer, byteOffset, length } = aligned(decompress([frame]))
  const siteLength = length / 16
  const column = (i: number) => new Uint32Array(buffer, byteOffset + i * siteLength * 4, siteLength)
  return { previous: new Int32Array(column(0)), human: column(1), ai: column(2), total: column(3) }
}

/** @param partLength number of counters, when not all are there */
function readBlock(decompressed: Uint8Array, partLength?: number): CellBlock {
  const bytes = aligned(decompressed)
  const { buffer, byteOffset } = bytes
  const header = new Uint32Array(buffer, byteOffset, headerNumbers)
  const [version, idCount, previousCount, fullLength, siteLength, ...widths] = header as unknown as [
    number,
    ...number[],
  ] &
    [number, number, number, number, number]
  if (version !== layoutVersion)
    throw new Error(`The counters have layout ${version}; this version of Quire reads layout ${layoutVersion}.`)
  const length = partLength ?? fullLength
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
  const block = {
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
  if (at !== byteOffset + bytes.length) throw new Error('The counters are damaged: frames are missing.')
  return block
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
