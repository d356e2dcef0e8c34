import { test } from 'vitest'
import { rounds } from '../support/rounds.ts'
import { checkRandomPruning, checkRandomVisits, shareRandomTests } from './random-visits.ts'

const shared = shareRandomTests()

shared.describe('many random logs', kind => {
  test('count as naive sets do, and leave the same bytes', () =>
    checkRandomVisits(shared, rounds(kind === 'SQLite' ? 600 : 150)))

  test('stay exact when visitors are forgotten', () => checkRandomPruning(shared, rounds(150)))
})
