import { expect, test } from 'vitest'
import { createViewLimit } from '../../server/tenancy/view-limit.ts'

function open() {
  const clock = { now: 1_000_000 }
  return { clock, limit: createViewLimit(() => clock.now) }
}

test('an address may send 300 views, and waits for the end of the minute', () => {
  const { clock, limit } = open()
  for (let count = 0; count < 300; count++) expect(limit.take('192.0.2.1')).toBe(0)
  expect(limit.take('192.0.2.1')).toBe(60)
  expect(limit.take('192.0.2.2')).toBe(0)
  clock.now += 59_500
  expect(limit.take('192.0.2.1')).toBe(1)
  clock.now += 500
  expect(limit.take('192.0.2.1')).toBe(0)
})

test('a clock that goes back locks nobody out', () => {
  const { clock, limit } = open()
  for (let count = 0; count < 301; count++) limit.take('192.0.2.1')
  clock.now -= 1
  expect(limit.take('192.0.2.1')).toBe(0)
})

test('after 100,000 addresses, the counts begin anew', () => {
  const { limit } = open()
  for (let count = 0; count < 301; count++) limit.take('192.0.2.1')
  for (let i = 1; i < 100_000; i++) limit.take(`2001:db8::${i}`)
  expect(limit.take('192.0.2.1')).toBe(0)
})
