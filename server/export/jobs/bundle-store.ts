import type { Awaitable } from '../../base/awaitable.ts'

/** Stores finished archives. They are files today; an object store with its own links would have the same methods. */
export interface BundleStore {
  /** Moves a finished archive into the store, atomically; it replaces an archive with the same name. */
  publish(file: string, fileName: string): Awaitable<void>
  /** The path of a published archive; undefined when it is missing. */
  find(fileName: string): Awaitable<string | undefined>
  /** Does nothing when it is missing. Readers that have it open can read it to the end. */
  remove(fileName: string): Awaitable<void>
  list(): Awaitable<string[]>
}
