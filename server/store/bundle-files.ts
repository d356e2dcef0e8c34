import { existsSync } from 'node:fs'
import { chmod, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushFile, flushFolder } from '../base/flush.ts'
import { makeFolder } from '../base/make-folder.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { LostFolder } from '../export/jobs/lost-folder.ts'
import { createBundleCheck, fileArchives, type NoteDamage, type ReportBundle } from './bundle-check.ts'
import { bundlePath } from './bundle-path.ts'
import { privateFile, privateFolder } from './private-files.ts'

/** A download needs a third less CPU time with it than with the 64 KB that Node reads by default. */
const readBytes = 256 * 1024

/**
 * Stores bundles as files in one folder, created on first use. Only the user of this process can read them. Archives are
 * moved from the same file system.
 */
export function openBundleFiles(
  folder: string,
  lost: LostFolder,
  report: ReportBundle = () => {},
  noteDamage: NoteDamage = () => {},
): BundleStore {
  const files = createBundleCheck(fileArchives, report, noteDamage)
  const pathOf = (fileName: string) => bundlePath(folder, fileName)

  /** Moves a file into the folder. When it returns, the file and its name are on the disk. */
  async function moveIn(file: string, fileName: string): Promise<void> {
    makeFolder(folder, privateFolder)
    await chmod(file, privateFile)
    await flushFile(file)
    if (existsSync(pathOf(fileName))) await lost.take(pathOf(fileName))
    await rename(file, pathOf(fileName))
    await flushFolder(folder)
    await flushFolder(dirname(folder))
  }

  return {
    place: 'on the disk of the server',
    publish: (file, { fileName }) => moveIn(file, fileName),
    check: bundle => files.check(pathOf(bundle.fileName), bundle),
    verify: bundle => files.verify(pathOf(bundle.fileName), bundle),
    async open(fileName, span) {
      const handle = await open(pathOf(fileName))
      return handle.createReadStream({ highWaterMark: readBytes, ...(span && { start: span.first, end: span.last }) })
    },
    withFile: (fileName, use) => use(pathOf(fileName)),
    async remove(fileName) {
      files.forget(pathOf(fileName))
      await rm(pathOf(fileName), { force: true })
    },
    list: () => readdir(folder).catch(() => []),
    setAside: fileName => lost.take(pathOf(fileName)),
    async recover(lostName, bundle) {
      const silent = createBundleCheck(fileArchives, () => {})
      if ((await silent.verify(pathOf(bundle.fileName), bundle)) === 'sound') return false
      if ((await silent.verify(lost.pathOf(lostName), bundle)) !== 'sound') return false
      await moveIn(lost.pathOf(lostName), bundle.fileName)
      return true
    },
  }
}
