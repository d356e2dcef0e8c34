import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { packedAssets, readAsset, readPackedBytes } from '../../assets.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { listAddonFolders } from './addon-folders.ts'
import { placeAddon } from './place-addon.ts'

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
