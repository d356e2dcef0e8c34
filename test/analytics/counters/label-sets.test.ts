import { expect, test } from 'vitest'
import { uniteSets, VisitorUnion } from '../../../server/analytics/counters/label-sets.ts'

test.each([0, 1, 3, 40])('a union of %d days has each visitor once, in order, whatever was added before', days => {
  const union = new VisitorUnion()
  const all = Array.from({ length: days }, (_, day) => [
    Float64Array.from({ length: 9000 }, (_, i) => (day * 3000 + i) * 7),
    Float64Array.from({ length: 20 }, (_, i) => 2 ** 40 + day + i),
  ])
  for (const sets of all) union.add(sets)
  expect(union.finish()).toEqual(uniteSets(all.flat()))
  expect(union.finish()).toHaveLength(days === 0 ? 0 : 9000 + (days - 1) * 3000 + 20 + days - 1)
})
