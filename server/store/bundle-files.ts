import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundleStore } from '../export/bundle-store.ts'

/** Bundles as files of one folder, which is created when it is first needed. */
export function openBundleFiles(folder: string): BundleStore {
  return {
    async prepare(fileName) {
      await mkdir(folder, { recursive: true })
      return join(folder, fileName)
    },
    async find(fileName) {
      const file = join(folder, fileName)
      return access(file).then(
        () => file,
        () => undefined,
      )
    },
  }
}
