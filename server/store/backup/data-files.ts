import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a data folder. */
export interface DataFile {
  /** In the data folder, with slashes. */
  path: string
  /** Where it is; differs from the path if the operator replaced a folder by a symbolic link. */
  file: string
  sizeBytes: number
}

/** The main database. It is copied first, see `makeBackup`. */
export const mainDatabase = 'quire.db'
/** The two files that a backup adds. */
export const aboutName = 'backup.json'
export const manifestName = 'manifest.json'
/** A folder of the file system itself, which exists if the data folder is the top of a disk. */
export const atTopOfDisk = 'lost+found'

/**
 * What a backup leaves out at the top of a data folder: the export cache, which the next export makes again; scratch files of
 * running exports, backups and restores; when the last backup was made; the sample log of the demo; what the file system keeps; and the two files of a backup that was unpacked there.
 */
const leftOut =
  /^(sites|work|lost\+found|backup\.json|manifest\.json|last-backup|demo-access\.log|quire-(export|backup|restore)-.*)$/
/** What SQLite keeps beside a database. The copy of the database has its content. */
const besideDatabase = /-(wal|shm|journal)$/

/** A key that is being written; it gets its name when it is complete. */
const draftOfKey = /^[a-z-]+\.key\.\d+$/

/** The copy of a database before an upgrade, see `keepCopy`. */
const beforeUpgrade = /\.schema-\d+(\.draft-\d+)?$/
/** The addon of the single binary, where no other folder can hold it. */
const addon = /^better_sqlite3-[0-9a-f]+\.node/

const notData = [besideDatabase, draftOfKey, beforeUpgrade]

/** Decides whether a backup contains a file of the data folder. */
export function isBackedUp(path: string): boolean {
  const top = path.split('/', 1)[0] ?? ''
  return ![leftOut, addon].some(names => names.test(top)) && !notData.some(names => names.test(path))
}

/**
 * Lists the names at the top of a data folder in the order in which a backup copies them: databases, other folders, bundles,
 * and then `lost`, because a bundle without a job moves from `bundles` to `lost`. The keys come last, because a key exists
 * before the first row that needs it. Of these, `link.key` is the first: when it is replaced, the old key is first written
 * to `link-replaced.key`, so that one of the two copies has it.
 */
export async function listTop(dataFolder: string): Promise<string[]> {
  const entries = await readdir(dataFolder, { withFileTypes: true })
  const rank = (name: string, isFolder: boolean) => {
    if (!isFolder) return name.endsWith('.db') ? 0 : name === 'link.key' ? 5 : 6
    return ({ visits: 1, bundles: 3, lost: 4 } as Record<string, number>)[name] ?? 2
  }
  return entries
    .filter(({ name }) => name !== mainDatabase && isBackedUp(name))
    .map(entry => ({ name: entry.name, rank: rank(entry.name, entry.isDirectory() || entry.isSymbolicLink()) }))
    .sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
}

/**
 * Lists the files below a name at the top of a data folder. That name may be a symbolic link, because operators move bundles
 * to another disk. Links below it, and entries that are neither files nor folders, are passed to
 * `skip`.
 */
export async function listFiles(dataFolder: string, name: string, skip: (path: string) => void): Promise<DataFile[]> {
  const found: DataFile[] = []
  const real = await realpath(join(dataFolder, name)).catch(() => null)
  const stats = real === null ? null : await stat(real)
  if (real === null || stats === null) return found
  if (stats.isFile()) return [{ path: name, file: real, sizeBytes: stats.size }]
  if (!stats.isDirectory()) skip(name)
  // A link to the data folder or above it would lead back here.
  else if (`${await realpath(dataFolder)}/`.startsWith(`${real}/`)) skip(name)
  else await walk(real, name)
  return found

  async function walk(folder: string, path: string): Promise<void> {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const inner = `${path}/${entry.name}`
      const file = join(folder, entry.name)
      if (!isBackedUp(inner)) continue
      if (entry.isDirectory()) await walk(file, inner)
      else if (entry.isFile()) {
        const sizeBytes = (await stat(file).catch(() => null))?.size
        // Undefined = deleted since it was listed.
        if (sizeBytes !== undefined) found.push({ path: inner, file, sizeBytes })
      } else skip(inner)
    }
  }
}

const magic = Buffer.from('SQLite format 3\0')

/** Decides whether a file is a SQLite database. */
export async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(magic.length), 0, magic.length, 0)
    return bytesRead === magic.length && buffer.equals(magic)
  } finally {
    await handle.close()
  }
}
