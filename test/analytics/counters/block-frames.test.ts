import { zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listFrames } from '../../../server/analytics/counters/block-frames.ts'
import {
  type CellBlock,
  countBefore,
  decodeBlock,
  decodeSite,
  encodeBlock,
  encodeFramedBlock,
} from '../../../server/analytics/counters/cell-block.ts'
import { createCells, never, pushCell, site } from '../../../server/analytics/counters/cells.ts'
import { mergeBlock } from '../../../server/analytics/counters/merge-block.ts'
import fc from '../../support/fast-check.ts'

const pages = 700

/** A block of a month with so many counters that it gets frames. Counts are up to `largest`. */
function makeBlock(previousDays: readonly number[], share: number, largest: number): CellBlock {
  const cells = createCells(previousDays.length * (pages + 1))
  for (const [i, previous] of previousDays.entries()) {
    pushCell(cells, previous, site, 3 * i, i, 4 * i + 1)
    for (let page = 1; page <= pages; page++) {
      const isFull = i === 0 || (page * 7919 + previous) % 100 < share
      if (isFull) pushCell(cells, previous, page, (page * previous * previous) % largest, i % 3, 1 + ((page * i) % 9))
    }
  }
  return mergeBlock(undefined, cells, page => page * 104_729) as CellBlock
}

const anyBlock = fc
  .tuple(
    fc.uniqueArray(fc.nat(400), { minLength: 10, maxLength: 30 }),
    fc.boolean(),
    fc.integer({ min: 70, max: 100 }),
    fc.constantFrom(200, 60_000, 100_000),
  )
  .map(([days, hasFirst, share, largest]) => makeBlock([...(hasFirst ? [never] : []), ...days], share, largest))

test('a block in frames gives each range the counters that a block in one frame gives', () => {
  fc.assert(
    fc.property(anyBlock, block => {
      const [one, framed] = [encodeBlock(block), encodeFramedBlock(block)]
      expect(listFrames(framed)).toBeDefined()
      expect(decodeBlock(framed)).toEqual(decodeBlock(one))
      expect(decodeSite(framed)).toEqual(decodeSite(one))
      expect(decodeSite(framed)).toEqual(block.site)
      for (const from of [0, ...block.previous, ...[...block.previous].map(day => day + 1)].filter(day => day >= 0)) {
        const end = countBefore(block, from)
        const part = decodeBlock(framed, from)
        expect(countBefore(part, from)).toBe(end)
        expect(part.site).toEqual(block.site)
        for (const column of ['pages', 'human', 'ai', 'total'] as const) {
          expect(part[column].length).toBeGreaterThanOrEqual(end)
          expect(part[column]).toEqual(block[column].subarray(0, part[column].length))
        }
      }
    }),
    { numRuns: 8 },
  )
})

test('a range that needs only first visits decompresses only these', () => {
  const block = makeBlock([never, ...Array.from({ length: 20 }, (_, i) => i)], 100, 200)
  expect(decodeBlock(encodeFramedBlock(block), 0).pages.length).toBe(pages)
  expect(decodeBlock(encodeFramedBlock(block), 1).pages.length).toBeLessThan(block.pages.length / 3)
})

test('versions that do not know frames read the block', () => {
  const block = makeBlock([never, ...Array.from({ length: 20 }, (_, i) => i)], 90, 100_000)
  expect(zstdDecompressSync(encodeFramedBlock(block))).toEqual(zstdDecompressSync(encodeBlock(block)))
})

test('a small block stays in one frame', () => {
  const block = makeBlock([never, 5], 100, 200)
  expect(encodeFramedBlock(block)).toEqual(encodeBlock(block))
})

test('a block that lacks its last frames is refused', () => {
  const framed = encodeFramedBlock(makeBlock([never, ...Array.from({ length: 20 }, (_, i) => i)], 100, 200))
  const { frames } = listFrames(framed) as { frames: Uint8Array[] }
  for (let lost = 1; lost < frames.length; lost++) {
    const size = frames.slice(-lost).reduce((sum, { length }) => sum + length, 0)
    expect(() => decodeBlock(framed.subarray(0, -size))).toThrow()
  }
  expect(() => decodeBlock(framed.subarray(0, -1))).toThrow()
  expect(() => decodeSite(framed.subarray(0, -1))).toThrow()
})
