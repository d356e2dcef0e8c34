import type { Awaitable } from '../../base/awaitable.ts'

/**
 * Keeps what the database does not know: bundles, work folders and caches. The database may be an older backup, so only an
 * operator deletes them.
 */
export interface LostFolder {
  /** Moves a file or folder here and returns its name. A name that is taken gets a number: `NAME.2`. */
  take(path: string): Awaitable<string>
  list(): Awaitable<LostItem[]>
  /** Returns the path of an item. */
  pathOf(name: string): string
  /** Returns the bytes of an item; of a folder, those of all files in it. */
  measure(name: string): Awaitable<number>
  delete(name: string): Awaitable<void>
}

export interface LostItem {
  name: string
  /** The name it had before it was moved. */
  formerName: string
  isFolder: boolean
  /** Milliseconds since 1970; when it was moved here, or copied here from a backup. */
  lostAt: number
}

/** Returns the id of the job that made a bundle; undefined if the file is not a bundle. */
export function jobOfBundle(fileName: string): string | undefined {
  return /^(se_\w+)(?:-\d+)?\.(?:zip|tar\.gz)$/.exec(fileName)?.[1]
}
