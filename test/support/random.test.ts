import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import fc from './fast-check.ts'
import { createRandom, createRandomBytes, readSeed, seed } from './random.ts'
import { readShare, rounds, someOf } from './rounds.ts'

test.each<[string | undefined, number]>([
  [undefined, 20_251],
  ['', 20_251],
  ['0', 0],
  ['2147483647', 2_147_483_647],
])('QUIRE_TEST_SEED=%s is the seed %d', (text, want) => expect(readSeed(text)).toBe(want))

test.each(['x', '-1', '1.5', '2147483648'])('QUIRE_TEST_SEED=%s is refused', text => {
  expect(() => readSeed(text)).toThrow('give a whole number')
})

test('QUIRE_TEST_SHARE is a share of the rounds', () => {
  expect([readShare(undefined), readShare('0.1'), readShare('1')]).toEqual([0.4, 0.1, 1])
  for (const text of ['0', '-1', '1.1', 'all']) expect(() => readShare(text)).toThrow('greater than 0 and at most 1')
})

test('of a list of cases, each day takes the next ones', () => {
  const cases = ['a', 'b', 'c', 'd', 'e']
  const taken = Array.from({ length: 5 }, (_, day) => someOf(cases, day))
  expect(taken.map(({ length }) => length)).toEqual(taken.map(() => rounds(5)))
  expect(new Set(taken.flat())).toEqual(new Set(cases))
  expect(someOf([], 3)).toEqual([])
})

test('numbers repeat for a name and differ between names', () => {
  const take = (name: string) => Array.from({ length: 100 }, createRandom(name))
  expect(take('one')).toEqual(take('one'))
  expect(take('one')).not.toEqual(take('two'))
  expect(take('one').every(number => number >= 0 && number < 1)).toBe(true)
  expect(new Set(take('one')).size).toBe(100)
  expect(createRandomBytes('one', 50)).toEqual(createRandomBytes('one', 50))
})

test('fast-check uses the seed', () => {
  const take = () => fc.sample(fc.integer(), 20)
  expect(fc.readConfigureGlobal()?.seed).toBe(seed)
  expect(take()).toEqual(take())
})

describe('no test uses another source of random input', () => {
  const folder = join(import.meta.dirname, '..')
  const sources = globSync('**/*.ts', { cwd: folder })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => !file.startsWith('support/') && !file.includes('fixtures/'))
    .map(file => ({ file, text: readFileSync(join(folder, file), 'utf8') }))

  test('fast-check comes with its seed', () => {
    expect(sources.filter(({ text }) => /from 'fast-check'/.test(text)).map(({ file }) => file)).toEqual([])
  })

  test('no value comes from the random source of the machine', () => {
    const random = /\b(randomBytes|randomInt|randomUUID|getRandomValues)\(|\/dev\/u?random/
    expect(sources.filter(({ text }) => random.test(text)).map(({ file }) => file)).toEqual([])
  })
})
