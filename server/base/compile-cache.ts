import { accessSync, constants, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/**
 * Keeps compiled code in the cache folder of the user, so that later processes start in half the time. A folder that cannot be
 * written changes nothing. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE have priority.
 */
export function keepCompiledCode(): void {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = '' } = process.env
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return
  try {
    // Not in the folder for temporary files, as by default: another user could put code there.
    const cache = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(findHome(), '.cache')
    const folder = join(cache, 'quire', 'compiled')
    // Node would create it in a way that never ends for some folders, such as those in /proc.
    makeFolder(folder, 0o700)
    enableCompileCache(folder)
  } catch {
    // Without it, processes only start more slowly.
  }
}

/**
 * Returns the home folder of the user. The one that the environment names is not always one: services have `/`, and containers a folder
 * that does not exist or that belongs to another user.
 *
 * @throws {Error} if there is none.
 */
function findHome(): string {
  const home = homedir()
  if (dirname(home) === home || statSync(home).uid !== (process.getuid?.() ?? 0)) throw new Error(`${home} is no home.`)
  accessSync(home, constants.W_OK)
  return home
}
