import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { toPageId } from '../../../server/analytics/counters/page-id.ts'

test('a page id is the first 48 bits of the SHA-256 of the path', () => {
  const digest = createHash('sha256').update('/guide').digest('hex')
  expect(toPageId('/guide', () => false)).toBe(Number.parseInt(digest.slice(0, 12), 16))
})

test('a page gets the next free id if another page has its id', () => {
  const first = toPageId('/guide', () => false)
  expect(toPageId('/guide', id => id === first || id === first + 1)).toBe(first + 2)
})
