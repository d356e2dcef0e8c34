import type { Awaitable } from '../tenancy/organization.ts'

/** Keeps finished archives. Files today; an object store with links of its own would stand behind the same three methods. */
export interface BundleStore {
  /** Where to write the archive of a job before it is published; the folder exists. */
  prepare(fileName: string): Awaitable<string>
  /** Where the published archive can be read; undefined when it is not there. */
  find(fileName: string): Awaitable<string | undefined>
}
