import { test } from 'vitest'
import { checkRandomPruning, checkRandomVisits } from './random-visits.ts'

test('any visits in any order count as naive sets do, and leave the same bytes', { timeout: 120_000 }, () =>
  checkRandomVisits(150),
)

test('any range of kept days stays exact when visitors are forgotten', { timeout: 120_000 }, () =>
  checkRandomPruning(100),
)
