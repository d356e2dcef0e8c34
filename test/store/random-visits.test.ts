import { test } from 'vitest'
import { checkRandomVisits } from './random-visits.ts'

test('any visits in any order count as naive sets do, and leave the same bytes', { timeout: 120_000 }, () =>
  checkRandomVisits(150),
)
