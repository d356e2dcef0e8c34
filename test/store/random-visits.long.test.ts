import { test } from 'vitest'
import { checkRandomVisits } from './random-visits.ts'

test('1,200 random logs count as naive sets do, and leave the same bytes', { timeout: 600_000 }, () =>
  checkRandomVisits(1200),
)
