import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { UnavailableError } from '../../../server/base/unavailable-error.ts'
import { repeatWhenRoom, untilStored } from '../../../server/export/jobs/wait-for-room.ts'

const full = () => Object.assign(new Error('write'), { code: 'ENOSPC' })
const signal = new AbortController().signal
const locked = () => new UnavailableError('locked', 'SQLITE_BUSY')

test('work that fails for another reason is not repeated', async () => {
  let runs = 0
  const work = async () => {
    runs += 1
    throw new TypeError('x is not a function')
  }
  const options = { folder: tmpdir(), limitMs: 60_000, signal, async onFull() {} }
  await expect(repeatWhenRoom(work, options)).rejects.toThrow(TypeError)
  expect(runs).toBe(1)
})

test('work that meets a full disk is repeated when the disk has more room', async () => {
  const folder = await mkdtemp(`${tmpdir()}/quire-room-`)
  const seen: unknown[] = []
  let runs = 0
  const work = async () => {
    runs += 1
    if (runs === 1) throw new Error('could not write the page', { cause: full() })
    return 'done'
  }
  let free = 1000
  const options = {
    folder,
    limitMs: 60_000,
    signal,
    onFull: async (error: unknown) => void seen.push(error),
    countFreeBytes: async () => (free += 1024 ** 2),
  }
  expect(await repeatWhenRoom(work, options)).toBe('done')
  expect({ runs, seen }).toEqual({ runs: 2, seen: [expect.objectContaining({ message: 'could not write the page' })] })
  await rm(folder, { recursive: true })
})

test('work fails with its error when the disk stays full until the limit, or a signal ends the wait', async () => {
  const fail = () => Promise.reject(full())
  const options = { folder: tmpdir(), async onFull() {}, countFreeBytes: async () => 0 }
  await expect(repeatWhenRoom(fail, { ...options, limitMs: 10, signal })).rejects.toMatchObject({ code: 'ENOSPC' })
  const stopping = new AbortController()
  const ended = repeatWhenRoom(fail, { ...options, limitMs: 60_000, signal: stopping.signal })
  setTimeout(() => stopping.abort(), 10)
  await expect(ended).rejects.toMatchObject({ code: 'ENOSPC' })
})

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
