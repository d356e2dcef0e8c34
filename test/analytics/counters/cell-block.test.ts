import { describe, expect, test } from 'vitest'
import { countBefore, decodeBlock, encodeBlock } from '../../../server/analytics/counters/cell-block.ts'
import { createCells, never, pushCell, site } from '../../../server/analytics/counters/cells.ts'
import { mergeBlock } from '../../../server/analytics/counters/merge-block.ts'
import { addPage } from '../../../server/analytics/counters/range-sum.ts'
import fc from '../../support/fast-check.ts'

type Cell = [previous: number, page: number, human: number, ai: number, total: number]

function toCells(list: readonly Cell[]) {
  const cells = createCells(list.length)
  for (const cell of list) pushCell(cells, ...cell)
  return cells
}

/** Ids in a different order than the page numbers, below and above 2^32. */
const idOf = (page: number) => (page * 7_919_999_999_993) % 2 ** 48 || 1

const anyCount = fc.oneof(fc.nat(3), fc.nat(300), fc.nat(100_000))
const anyCells = fc.uniqueArray(
  fc.tuple(fc.constantFrom(never, 0, 19_000, 19_001, 20_500), fc.nat(40), anyCount, anyCount, anyCount),
  { maxLength: 60, selector: ([previous, page]) => `${previous} ${page}` },
)

describe('a block', () => {
  test('has the same bytes for the same counts, merged in any parts and order', () => {
    fc.assert(
      fc.property(anyCells, fc.nat(60), (list, cut) => {
        const once = mergeBlock(undefined, toCells(list), idOf)
        const parts = [list.slice(cut), list.slice(0, cut)].map(part => toCells(part.reverse()))
        const inParts = parts.reduce<typeof once>((block, part) => mergeBlock(block, part, idOf), undefined)
        expect(inParts && encodeBlock(inParts)).toEqual(once && encodeBlock(once))
        if (once) expect(decodeBlock(encodeBlock(once))).toEqual(once)
        expect(sumTotals(once)).toBe(list.reduce((sum, [, , , , total]) => sum + total, 0))
      }),
    )
  })

  test('gives the counters of one page since a day', () => {
    fc.assert(
      fc.property(anyCells, fc.nat(40), fc.constantFrom(0, 1, 19_001, 30_000), (list, page, from) => {
        const block = mergeBlock(undefined, toCells(list), idOf)
        const sum = { human: 0, ai: 0, total: 0 }
        if (block) addPage(decodeBlock(encodeBlock(block), from), idOf(page), from, sum)
        const own = list.filter(cell => cell[0] < from && cell[1] === page && page !== site)
        const [human, ai, total] = [2, 3, 4].map(at => own.reduce((all, cell) => all + (cell[at] ?? 0), 0))
        if (page !== site) expect(sum).toEqual({ human, ai, total })
      }),
    )
  })

  test('does not store counts of zero, and is undefined if no count is left', () => {
    const block = mergeBlock(
      undefined,
      toCells([
        [never, 1, 2, 0, 2],
        [5, 2, 1, 1, 1],
        [never, site, 3, 1, 3],
      ]),
      idOf,
    )
    const less = mergeBlock(block, toCells([[5, 2, -1, -1, -1]]), idOf)
    expect(less?.idsLow.length).toBe(1)
    expect([...(less?.previous ?? [])]).toEqual([never])
    expect(
      mergeBlock(
        less,
        toCells([
          [never, 1, -2, 0, -2],
          [never, site, -3, -1, -3],
        ]),
        idOf,
      ),
    ).toBe(undefined)
  })

  test('refuses negative counts', () => {
    expect(() => mergeBlock(undefined, toCells([[never, 1, -1, 0, -1]]), idOf)).toThrow('would be negative')
  })

  test('counts the cells before a day', () => {
    const block = mergeBlock(
      undefined,
      toCells([
        [9, 1, 1, 0, 1],
        [never, 1, 1, 0, 1],
        [5, 2, 1, 0, 1],
      ]),
      idOf,
    )
    if (!block) throw new Error('no block')
    expect([never, 0, 5, 6, 9, 10].map(day => countBefore(block, day))).toEqual([0, 1, 1, 2, 2, 3])
  })

  test('is refused if it is truncated or has a newer layout', () => {
    const block = mergeBlock(undefined, toCells([[never, 1, 1, 0, 1]]), idOf)
    if (!block) throw new Error('no block')
    const bytes = encodeBlock(block)
    expect(() => decodeBlock(bytes.subarray(0, -1))).toThrow()
  })
})

function sumTotals(block: ReturnType<typeof mergeBlock>): number {
  if (!block) return 0
  return [...block.total, ...block.site.total].reduce((sum: number, total) => sum + total, 0)
}
