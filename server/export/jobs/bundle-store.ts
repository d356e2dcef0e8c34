import type { Awaitable } from '../../base/awaitable.ts'

/** Stores finished archives as files. An object store with links could have the same methods. */
export interface BundleStore {
  /** Moves a finished archive into the store atomically. Replaces an archive with the same name. */
  publish(file: string, fileName: string): Awaitable<void>
  /** Returns the path of a published archive; undefined when the archive is missing. */
  find(fileName: string): Awaitable<string | undefined>
  /** Removes an archive; does nothing when the archive is missing. Readers that have it open can read it to the end. */
  remove(fileName: string): Awaitable<void>
  list(): Awaitable<string[]>
}
