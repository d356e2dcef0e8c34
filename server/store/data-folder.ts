import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { makeContentPrivate, makePrivate } from './private-files.ts'

/** The folders in a data folder. */
const folders = ['bundles', 'lost', 'sites', 'visits', 'work'] as const
export const keys = ['link.key', 'link-replaced.key', 'visitor.key', 'webhook.key'] as const
/** Transactions that are not in the database file yet; without the file, they cannot be read. */
const walName = 'quire.db-wal'

/**
 * Refuses to create the database in a data folder that holds other data: its database was lost, and a new one would know none
 * of the data.
 *
 * @param found what there is in place of the database.
 * @param given names of files that may be there before the database.
 * @throws {OperatorError} that names the data and the remedy.
 */
export function refuseAmongData(dataFolder: string, found: 'missing' | 'empty', given: readonly string[] = []): void {
  const data = describeData(dataFolder).filter(name => !given.includes(name))
  if (data.length === 0) return
  throw new OperatorError(
    `it is ${found}, but the data folder holds ${listInWords(data)}. Restore quire.db from a backup, ` +
      'or name another folder with --data.',
  )
}

/** Describes everything in the folder that only a server with a database can have written. */
function describeData(dataFolder: string): string[] {
  const inFolders = folders.flatMap(name => {
    const count = listEntries(join(dataFolder, name)).length
    return count === 0 ? [] : [`${name}/ (${count === 1 ? '1 entry' : `${count} entries`})`]
  })
  const wal = statSync(join(dataFolder, walName), { throwIfNoEntry: false })
  return [
    ...inFolders,
    ...keys.filter(name => existsSync(join(dataFolder, name))),
    ...(wal && wal.size > 0 ? [walName] : []),
  ]
}

/** Makes the data folder, the folders in it and the keys private. The databases are made private when they are opened. */
export function protectDataFolder(dataFolder: string): void {
  if (isOnlyOurs(dataFolder)) makePrivate(dataFolder)
  for (const name of [...folders, ...keys, 'demo-access.log']) makePrivate(join(dataFolder, name))
}

/** Makes files private that an earlier version left readable: bundles, databases of visits, and databases of site caches. */
export async function protectFiles(dataFolder: string): Promise<void> {
  for (const name of ['bundles', 'lost', 'visits', 'work']) await makeContentPrivate(join(dataFolder, name))
  await makeContentPrivate(join(dataFolder, 'sites'), 2)
}

/** Whether other users can list the data folder. */
export function isListedByOthers(dataFolder: string): boolean {
  return process.platform !== 'win32' && (statSync(dataFolder).mode & 0o077) !== 0
}

/**
 * Whether no folder of another program is in the data folder. A folder such as /var/lib, which someone named by mistake, must
 * stay readable.
 */
function isOnlyOurs(dataFolder: string): boolean {
  const known = new Set<string>([...folders, 'lost+found'])
  return listEntries(dataFolder).every(
    // A backup makes folders with this prefix.
    entry => !entry.isDirectory() || known.has(entry.name) || entry.name.startsWith('quire-'),
  )
}

function listEntries(folder: string): Dirent[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : []
}

function listInWords(things: string[]): string {
  const last = things.at(-1) ?? ''
  return things.length < 2 ? last : `${things.slice(0, -1).join(', ')} and ${last}`
}
