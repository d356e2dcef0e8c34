import { statfs } from 'node:fs/promises'
import { isDiskFull } from '../../base/disk-full.ts'
import { pause } from '../../base/pause.ts'

const lookEveryMs = 1000
/** The shortest time between two attempts. It doubles with each, because an attempt may fetch the whole site again. */
const firstPauseMs = 1000
const longestPauseMs = 60_000
/** Smaller changes come from the database and the logs. */
const noticeableBytes = 1024 ** 2

export interface RoomOptions {
  /** A folder on the disk that may be full. */
  folder: string
  /** How long to repeat the work. */
  limitMs: number
  /** Ends the waiting; the error of the work is thrown then. */
  signal: AbortSignal
  /** Called when the disk is full, before the wait. Deletes what the work has written. */
  onFull(error: unknown): Promise<void>
  countFreeBytes?(folder: string): Promise<number>
}

/** Runs the work. If it fails because the disk is full, waits until there is more room and runs it again. */
export async function repeatWhenRoom<T>(work: () => Promise<T>, options: RoomOptions): Promise<T> {
  const endsAt = performance.now() + options.limitMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isDiskFull(error) || options.signal.aborted) throw error
      await options.onFull(error)
      if (!(await waitForRoom(options, pauseMs, endsAt))) throw error
    }
  }
}

/** Waits at least `pauseMs`, and until the disk has noticeably more room than now. Returns false if that does not happen. */
async function waitForRoom(options: RoomOptions, pauseMs: number, endsAt: number): Promise<boolean> {
  const { folder, signal, countFreeBytes = askSystem } = options
  const notBefore = performance.now() + pauseMs
  const enoughBytes = (await countFreeBytes(folder)) + noticeableBytes
  while (performance.now() < endsAt) {
    await pause(lookEveryMs, signal)
    if (signal.aborted) return false
    if (performance.now() >= notBefore && (await countFreeBytes(folder)) >= enoughBytes) return true
  }
  return false
}

async function askSystem(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
