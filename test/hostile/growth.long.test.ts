import { expect, test } from 'vitest'
import { fragments, measureGrowth } from './growth.ts'

test('each fragment is named once, and there are at least 40', () => {
  expect(new Set(fragments).size).toBe(fragments.length)
  expect(fragments.length).toBeGreaterThanOrEqual(40)
})

test('finds a quadratic and a cubic expression, and no linear one', async () => {
  const names = async (expression: RegExp) =>
    (await measureGrowth(text => expression.test(text), ['\t', 'a', ','])).map(({ fragment }) => fragment)
  expect(await names(/\t+x/)).toEqual(['\t'])
  expect(await names(/^\s*(\d*)\s*(\d*)\s*x/)).toEqual(['\t'])
  expect(await names(/(?<!\t)\t+x|,a/)).toEqual([])
})

test('measures parsers that answer later or refuse', async () => {
  const later = async (text: string) => {
    await Promise.resolve()
    return /\t+x/.test(text)
  }
  expect(await measureGrowth(later, ['\t'])).toMatchObject([{ fragment: '\t' }])
  const refuse = () => Promise.reject(new Error('no'))
  expect(await measureGrowth(refuse, ['a'])).toEqual([])
})
