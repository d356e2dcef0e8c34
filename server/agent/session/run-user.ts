import { existsSync, readFileSync } from 'node:fs'
import { lchown, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** An id that no distribution gives to a user. */
const unusedId = 65_533
/** Their numbers in capabilities(7): CHOWN, SETGID, SETUID, SETPCAP, SYS_ADMIN. */
const neededCapabilities = [0, 6, 7, 8, 21]
export const setpriv = '/usr/bin/setpriv'

/**
 * Returns the user and group as whom a server that runs as root runs its agents. In a user namespace, they would still be the owner
 * of the files and devices of root. Undefined for other users, and where root lacks the rights for this, as in many containers.
 */
export function findRunUser(): number | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync(setpriv)) return undefined
  const ids = readFileSync('/proc/self/uid_map', 'latin1').trim().split('\n')
  const hasId = ids.some(line => {
    const [first = 0, , count = 0] = line.trim().split(/ +/).map(Number)
    return first <= unusedId && unusedId < first + count
  })
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0'
  const hasRights = neededCapabilities.every(number => (BigInt(`0x${effective}`) >> BigInt(number)) & 1n)
  return hasId && hasRights ? unusedId : undefined
}

/** Makes a user the owner of a file, or of a folder and everything in it. */
export async function giveTo(user: number, path: string): Promise<void> {
  await lchown(path, user, user)
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') return []
      throw error
    },
  )
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), user, user)
}
