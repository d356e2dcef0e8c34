import { expect, test } from 'vitest'
import { callInThread } from './thread.ts'

type Day = typeof import('../../server/analytics/day.ts')
const file = 'server/analytics/day.ts'

test('a thread returns the result of the function', async () => {
  expect(await callInThread(file, (day: Day, date: string) => day.parseDay(date), '1970-01-03')).toBe(2)
})

test('an error of the function or a missing module fails the call', async () => {
  const fail = () => {
    throw new Error('no such luck')
  }
  await expect(callInThread(file, fail)).rejects.toThrow('no such luck')
  await expect(callInThread('server/no-such-file.ts', () => 1)).rejects.toThrow('no-such-file')
})

test.fails('a function that never returns fails its test by the timeout', { timeout: 2000 }, () =>
  callInThread(file, () => {
    for (;;);
  }),
)
