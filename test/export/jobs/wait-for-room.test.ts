import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { repeatWhenRoom } from '../../../server/export/jobs/wait-for-room.ts'

const full = () => Object.assign(new Error('write'), { code: 'ENOSPC' })
const signal = new AbortController().signal

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
