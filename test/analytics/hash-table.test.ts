import { expect, test } from 'vitest'
import { ByteTable, HashSlots } from '../../server/analytics/hash-table.ts'
import fc from '../support/fast-check.ts'
import { createRandom } from '../support/random.ts'

/** Lists the numbers that a search finds, sorted. */
function findAll(slots: HashSlots, hash: number): number[] {
  const found: number[] = []
  for (let number = slots.first(hash); number !== -1; number = slots.next()) found.push(number)
  return found.sort((a, b) => a - b)
}

test('finds the numbers of each hash as a map does, while the table grows', () => {
  const random = createRandom('hash-slots')
  const slots = new HashSlots(4)
  const expected = new Map<number, number[]>()
  // Few different hashes, so that many collide; the largest and the smallest Int32 are among them.
  const hashes = [
    0,
    1,
    2,
    1024,
    2 ** 31 - 1,
    -(2 ** 31),
    -1,
    ...Array.from({ length: 200 }, () => (random() * 2 ** 32) | 0),
  ]
  for (let number = 0; number < 5000; number++) {
    const hash = hashes[Math.floor(random() * hashes.length)] ?? 0
    expect(findAll(slots, hash)).toEqual(expected.get(hash) ?? [])
    slots.add(number)
    expected.set(hash, [...(expected.get(hash) ?? []), number])
  }
  for (const [hash, numbers] of expected) expect(findAll(slots, hash)).toEqual(numbers)
})

test('after clear, no number is left, and the table can be filled again', () => {
  const slots = new HashSlots(1)
  for (let round = 0; round < 3; round++) {
    for (let number = 0; number < 100; number++) {
      expect(findAll(slots, number % 10)).toHaveLength(Math.floor(number / 10))
      slots.add(number)
    }
    slots.clear()
    for (let hash = 0; hash < 10; hash++) expect(slots.first(hash)).toBe(-1)
  }
})

/** Returns the number of a text, and adds the text if it is new. Other bytes around the text must not matter. */
function intern(table: ByteTable, text: string, tag = 0): number {
  const bytes = Buffer.from(`<${text}>`, 'latin1')
  const number = table.find(bytes, 1, bytes.length - 1, tag)
  return number === -1 ? table.add(bytes, 1, bytes.length - 1, tag) : number
}

test('numbers byte strings like a map of texts', () => {
  // Short texts of few letters, so that many are repeated and many have a common prefix.
  const entry = fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\xff'), maxLength: 6 }), fc.nat(2))
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 600 }), entries => {
      const table = new ByteTable()
      const map = new Map<string, number>()
      for (const [text, tag] of entries) {
        const key = `${tag} ${text}`
        if (!map.has(key)) map.set(key, map.size)
        expect(intern(table, text, tag)).toBe(map.get(key))
      }
      expect(table.size).toBe(map.size)
      expect(table.sizeBytes).toBe([...map.keys()].join('').length - 2 * map.size)
    }),
  )
})

test('stores a hundred thousand texts, and clears them', () => {
  const table = new ByteTable()
  for (let i = 0; i < 100_000; i++) expect(intern(table, `/docs/page-${i}`)).toBe(i)
  for (let i = 0; i < 100_000; i += 7) expect(intern(table, `/docs/page-${i}`)).toBe(i)
  table.clear()
  expect([table.size, table.sizeBytes]).toEqual([0, 0])
  expect(intern(table, '/docs/page-5')).toBe(0)
})

test('distinguishes tags as large as user agent and period produce', () => {
  const table = new ByteTable()
  const tags = [0, 1, 2 ** 20, 2 ** 20 + 1, 49_999 * 2 ** 20 + 24_312, 2 ** 32, 2 ** 40]
  expect(tags.map(tag => intern(table, 'a', tag))).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(tags.map(tag => intern(table, 'a', tag))).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('stores a text longer than its capacity', () => {
  const table = new ByteTable()
  const long = 'x'.repeat(1_000_000)
  expect([intern(table, 'a'), intern(table, long), intern(table, `${long}y`), intern(table, long)]).toEqual([
    0, 1, 2, 1,
  ])
})
