import { expect, test } from 'vitest'
import { HashSlots } from '../../server/analytics/hash-slots.ts'
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
