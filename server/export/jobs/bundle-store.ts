import type { Awaitable } from '../../base/awaitable.ts'

/** Keeps finished archives. Files today; an object store with links of its own would stand behind the same methods. */
export interface BundleStore {
  /** Moves a finished archive in, atomically; a second archive of the same name replaces the first. */
  publish(file: string, fileName: string): Awaitable<void>
  /** Where the published archive can be read; undefined when it is not there. */
  find(fileName: string): Awaitable<string | undefined>
  /** Does nothing when it is not there. Whoever reads it at the time reads it to the end. */
  remove(fileName: string): Awaitable<void>
  list(): Awaitable<string[]>
}
