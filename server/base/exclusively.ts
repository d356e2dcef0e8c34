import type { Awaitable } from './awaitable.ts'

/**
 * Runs the work, unless another machine with the same database runs work of this name now.
 *
 * @returns whether the work ran
 */
export type Exclusively = (name: string, work: () => Promise<void>) => Awaitable<boolean>

/** For a database that only one server uses. */
export const alone: Exclusively = async (_, work) => {
  await work()
  return true
}
