import { existsSync } from 'node:fs'
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import type { LostFolder, LostItem } from '../export/jobs/lost-folder.ts'
import { privateFile, privateFolder } from './private-files.ts'

/** Returns the lost folder of a data folder. It is created on first use, on the same file system as what it keeps. */
export function openLostFolder(dataFolder: string): LostFolder {
  const folder = join(dataFolder, 'lost')

  return {
    async take(path) {
      makeFolder(folder, privateFolder)
      // A change of the mode sets the ctime, which becomes `lostAt`. Not every file system sets it on a move.
      await chmod(path, (await lstat(path)).isDirectory() ? privateFolder : privateFile)
      const name = findFreeName(folder, basename(path))
      await rename(path, join(folder, name))
      return name
    },
    async list() {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      const items = entries.map(async (entry): Promise<LostItem | undefined> => {
        const stats = await lstat(join(folder, entry.name)).catch(() => undefined)
        const formerName = entry.name.replace(/\.\d+$/, '')
        return stats && { name: entry.name, formerName, isFolder: stats.isDirectory(), lostAt: stats.ctimeMs }
      })
      const found = (await Promise.all(items)).filter(item => item !== undefined)
      return found.sort((a, b) => a.lostAt - b.lostAt || a.name.localeCompare(b.name))
    },
    pathOf: name => join(folder, name),
    measure: name => measure(join(folder, name)),
    delete: name => rm(join(folder, name), { recursive: true, force: true }),
  }
}

async function measure(path: string): Promise<number> {
  const stats = await lstat(path)
  if (!stats.isDirectory()) return stats.size
  let bytes = 0
  for (const name of await readdir(path)) bytes += await measure(join(path, name))
  return bytes
}

function findFreeName(folder: string, name: string): string {
  let free = name
  for (let number = 2; existsSync(join(folder, free)); number += 1) free = `${name}.${number}`
  return free
}
