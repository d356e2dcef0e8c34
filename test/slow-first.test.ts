import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rotate, slowFiles, sortSlowFirst } from './slow-first.ts'

test('slow files start first, slowest first, and the others follow in their order', () => {
  const others = ['test/zip.test.ts', 'test/assets.test.ts']
  const sorted = sortSlowFirst([others[0], ...slowFiles.toReversed(), others[1]], file => file ?? '')
  expect(sorted).toEqual([...slowFiles, ...others])
})

test('each day, the list begins with another file', () => {
  expect([0, 1, 5].map(day => rotate(['a', 'b', 'c'], day).join(''))).toEqual(['abc', 'bca', 'cab'])
  expect(rotate([], 5)).toEqual([])
})

test.each(slowFiles)('%s exists, so its place is not lost when it is renamed', file => {
  expect(existsSync(join(import.meta.dirname, '..', file))).toBe(true)
})
