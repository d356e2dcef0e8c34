import { expect, test } from 'vitest'
import { UnavailableError } from '../../server/base/unavailable-error.ts'
import { untilStored } from '../../server/base/until-stored.ts'

const signal = new AbortController().signal
const locked = () => new UnavailableError('locked', 'SQLITE_BUSY')

test('a write of the store is repeated while the database is locked', async () => {
  let runs = 0
  const write = () => {
    runs += 1
    if (runs <= 2) throw locked()
    return true
  }
  const waits: unknown[] = []
  const onWait = (error: unknown) => void waits.push(error)
  expect(await untilStored(write, { limitMs: 60_000, signal, onWait })).toBe(true)
  expect(waits).toEqual([locked()])
  await expect(untilStored(() => Promise.reject(locked()), { limitMs: 0, signal })).rejects.toThrow(UnavailableError)
  await expect(untilStored(() => Promise.reject(new Error('x')), { limitMs: 60_000, signal })).rejects.toThrow('x')
})
