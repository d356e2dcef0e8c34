import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { AddonFolder } from './place-addon.ts'

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
