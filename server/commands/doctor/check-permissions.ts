import type { Stats } from 'node:fs'
import { access, constants, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, fail, ok, warn } from './finding.ts'

const groupAndOthers = 0o077
/** Folders with a file per project or export. The export cache has many more files, and can be made again. */
const inner = ['visits', 'bundles', 'lost']

interface Found {
  path: string
  stats: Stats
}

/** Checks who may read and write the data folder, and who owns its files. */
export async function checkPermissions(dataFolder: string): Promise<Finding[]> {
  const folder = await lstat(dataFolder)
  const files = await listFiles(dataFolder)
  const findings: Finding[] = []
  if ((folder.mode & groupAndOthers) !== 0) {
    const mode = (folder.mode & 0o777).toString(8)
    findings.push(
      fail(
        'permissions',
        `${dataFolder} has the mode ${mode}: other users of this machine may enter it.`,
        `chmod 700 ${dataFolder}`,
      ),
    )
  }
  const foreign = files.filter(({ stats }) => stats.uid !== folder.uid)
  if (foreign.length > 0) {
    findings.push(
      fail(
        'permissions',
        `${count(foreign)} in ${dataFolder} ${foreign.length === 1 ? 'belongs' : 'belong'} to another user than the folder: ${names(foreign)}.`,
        `Run commands as the user of the server. chown -R ${folder.uid}:${folder.gid} ${dataFolder}`,
      ),
    )
  }
  const locked = await filter([{ path: dataFolder, stats: folder }, ...files], isLocked)
  if (locked.length > 0) {
    findings.push(
      warn(
        'permissions',
        `This user may not read and write ${count(locked)}: ${names(locked)}.`,
        'If the server runs as another user, run the doctor as that user.',
      ),
    )
  }
  if (findings.length > 0) return findings
  return [ok('permissions', `Only the owner may enter ${dataFolder}, and all files belong to that user.`)]
}

async function listFiles(dataFolder: string): Promise<Found[]> {
  const paths = [
    ...(await readdir(dataFolder)),
    ...(
      await Promise.all(
        inner.map(async name => (await readdir(join(dataFolder, name)).catch(() => [])).map(file => `${name}/${file}`)),
      )
    ).flat(),
  ]
  const found: Found[] = []
  for (const path of paths) {
    const stats = await lstat(join(dataFolder, path)).catch(() => null)
    // SQLite creates and deletes files at any time.
    if (stats && !stats.isSymbolicLink()) found.push({ path: join(dataFolder, path), stats })
  }
  return found
}

async function isLocked({ path }: Found): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => false,
    error => error.code !== 'ENOENT',
  )
}

async function filter(files: readonly Found[], test: (file: Found) => Promise<boolean>): Promise<Found[]> {
  const results = await Promise.all(files.map(test))
  return files.filter((_, index) => results[index])
}

function count(files: readonly Found[]): string {
  return files.length === 1 ? '1 file' : `${files.length} files`
}

function names(files: readonly Found[]): string {
  const shown = files.slice(0, 3).map(({ path }) => path)
  return files.length > shown.length ? `${shown.join(', ')} ...` : shown.join(', ')
}
