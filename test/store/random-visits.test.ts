import { test } from 'vitest'
import { checkRandomPruning, checkRandomVisits, shareRandomTests } from './random-visits.ts'

const shared = shareRandomTests()

shared.describe('random visits', kind => {
  const runs = kind === 'SQLite' ? 150 : 25
  test('in any order count as naive sets do, and leave the same bytes', { timeout: 120_000 }, () =>
    checkRandomVisits(shared, runs),
  )

  test('in any range of kept days stay exact when visitors are forgotten', { timeout: 120_000 }, () =>
    checkRandomPruning(shared, runs),
  )
})
