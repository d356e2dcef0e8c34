import { test } from 'vitest'
import { checkRandomPruning, checkRandomVisits, shareRandomTests } from './random-visits.ts'

const shared = shareRandomTests()

shared.describe('many random logs', kind => {
  test('count as naive sets do, and leave the same bytes', { timeout: 600_000 }, () =>
    checkRandomVisits(shared, kind === 'SQLite' ? 1200 : 300),
  )

  test('stay exact when visitors are forgotten', { timeout: 600_000 }, () => checkRandomPruning(shared, 300))
})
