import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { packedAssets, readAsset, readPackedBytes } from '../../assets.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { type AddonFolder, placeAddon } from './place-addon.ts'

/** Under this name, threads get the path that the first thread loaded. */
const loadedPath = 'quire: path of the addon'

/**
 * Loads the addon of better-sqlite3 from the single binary, which replaces the file of the package by this function. The system
 * loads programs only from files, so the addon is placed in one first, see `placeAddon`. All threads load the same path.
 *
 * @throws {OperatorError} when no folder can be used.
 */
export function loadAddon(): unknown {
  const known = getEnvironmentData(loadedPath)
  // The system knows a loaded file by its path, so this works even if the file was deleted meanwhile.
  if (typeof known === 'string') return open(known)
  const sha256 = readAsset(packedAssets.addonHash)
  const readBytes = () => readPackedBytes(packedAssets.addon)
  const reasons: string[] = []
  for (const folder of listAddonFolders(process.argv.slice(2), process.env)) {
    try {
      const file = placeAddon({ sha256, readBytes }, folder)
      const addon = open(file)
      setEnvironmentData(loadedPath, file)
      return addon
    } catch (error) {
      reasons.push(`${folder.path}: ${(error as Error).message}`)
    }
  }
  throw new OperatorError(
    `SQLite cannot be loaded, because no folder can hold it. ${reasons.join(' ')} ` +
      'Set XDG_CACHE_HOME to a folder that this user owns, on a file system that is not mounted noexec.',
  )
}

function open(file: string): unknown {
  const module = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}

/**
 * Lists the folders in which the addon of SQLite may be placed, best first: the cache folder that systemd made for the service,
 * the cache folder of the user, and the data folder, for systems that mount the others without the right to run programs.
 *
 * @param args the command line without the program
 */
export function listAddonFolders(args: readonly string[], env: NodeJS.ProcessEnv, home = findHome()): AddonFolder[] {
  const folders: AddonFolder[] = []
  // systemd lists several folders with colons.
  const [service = ''] = (env.CACHE_DIRECTORY ?? '').split(':')
  if (service !== '') folders.push({ path: service, mayCreate: false })
  // The XDG specification says that a relative path is ignored.
  const cache = env.XDG_CACHE_HOME?.startsWith('/')
    ? env.XDG_CACHE_HOME
    : home === ''
      ? undefined
      : join(home, '.cache')
  if (cache !== undefined) folders.push({ path: join(cache, 'quire'), mayCreate: true })
  folders.push({ path: resolve(findDataFolder(args, env)), mayCreate: false })
  return folders
}

/** Returns the home folder of the user; '' = a container runs this process as a user that the system does not know. */
function findHome(): string {
  try {
    return homedir()
  } catch {
    return ''
  }
}

/** The data folder of a command line. The addon is needed before a store knows the folder. */
function findDataFolder(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const at = args.findLastIndex(arg => arg === '--data' || arg.startsWith('--data='))
  const flag = args[at]?.startsWith('--data=') ? args[at].slice('--data='.length) : at < 0 ? undefined : args[at + 1]
  return flag ?? env.QUIRE_DATA ?? 'data'
}
