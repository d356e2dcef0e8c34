import { access, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import { makeFolder } from './make-folder.ts'

/** Stores bundles as files in one folder, created on first use. Archives are moved from the same file system. */
export function openBundleFiles(folder: string): BundleStore {
  return {
    async publish(file, fileName) {
      makeFolder(folder)
      await rename(file, join(folder, fileName))
    },
    find(fileName) {
      const file = join(folder, fileName)
      return access(file).then(
        () => file,
        () => undefined,
      )
    },
    remove: fileName => rm(join(folder, fileName), { force: true }),
    list: () => readdir(folder).catch(() => []),
  }
}
