import { expect, test } from 'vitest'
import { findNearestName } from '../../server/base/nearest-name.ts'

const known = ['domain', 'version', 'paths', 'deployment', 'features', 'offlineSearch', 'verify', 'format']

test.each([
  ['path', 'paths'],
  ['Paths', 'paths'],
  ['domian', 'domain'],
  ['fromat', 'format'],
  ['offline_search', 'offlineSearch'],
  ['verson', 'version'],
  ['deploiment', 'deployment'],
  ['page', undefined],
  ['url', undefined],
  ['', undefined],
  ['x'.repeat(1_000_000), undefined],
])('%.20s is closest to %s', (given, nearest) => {
  expect(findNearestName(given, known)).toBe(nearest)
})

test('of two equally close names the first is taken', () => {
  expect(findNearestName('dateFro', ['dateTo', 'dateFrom', 'dateFroM'])).toBe('dateFrom')
})
