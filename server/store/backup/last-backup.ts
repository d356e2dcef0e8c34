import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { privateFile } from '../private-files.ts'

const name = 'last-backup'

/** Notes in the data folder that a backup was made, for those who watch the server. Returns a warning if that cannot be. */
export async function noteBackup(dataFolder: string, at: number): Promise<string[]> {
  try {
    await writeFile(join(dataFolder, name), `${new Date(at).toISOString()}\n`, { mode: privateFile })
    return []
  } catch {
    return ['The data folder cannot be written, so doctor and the metrics do not know of this backup.']
  }
}

/** Returns when the last backup was made, in milliseconds since 1970; undefined = none of this data folder is known. */
export async function findLastBackup(dataFolder: string): Promise<number | undefined> {
  const text = await readFile(join(dataFolder, name), 'utf8').catch(() => '')
  const at = Date.parse(text.trim())
  return Number.isNaN(at) ? undefined : at
}
