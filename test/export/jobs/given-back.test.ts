import { expect, test } from 'vitest'
import { createGivenBack } from '../../../server/export/jobs/given-back.ts'

const minute = 60_000

test('a job is left to others for a minute, tried again, and fails after ten', () => {
  let now = 0
  const givenBack = createGivenBack(() => now)
  expect(givenBack.add('a')).toBe(true)
  expect(givenBack.list()).toEqual(['a'])
  for (let tries = 1; tries < 10; tries += 1) {
    now += minute
    expect(givenBack.list()).toEqual([])
    expect(givenBack.add('a')).toBe(true)
  }
  now += minute
  expect(givenBack.add('a')).toBe(false)
  // If it is started again, it has its time again.
  expect(givenBack.add('a')).toBe(true)
})

test('a job that another runner took is forgotten', () => {
  let now = 0
  const givenBack = createGivenBack(() => now)
  givenBack.add('a')
  now += 12 * minute
  expect(givenBack.list()).toEqual([])
  expect(givenBack.add('a')).toBe(true)
})
