import { OperatorError } from '../base/operator-error.ts'
import type { LinkKeys } from '../export/jobs/bundle-link.ts'
import { fingerprintLinkKey } from './key-fingerprints.ts'
import { readSharedKeys } from './shared-keys.ts'

/** What the servers of a database know of the key that signs bundle links. The key itself is not in the database. */
export interface AgreedLinkKey {
  /**
   * Returns whether a server may sign links: it knows the key that the others sign with, or it is the first.
   *
   * @param fingerprints of the key that the server signs with, and of earlier keys.
   */
  agree(fingerprints: readonly [Buffer, ...Buffer[]]): Promise<boolean>
  /** Returns the fingerprint of the key that the servers sign with; undefined = no server has said it yet. */
  find(): Promise<Buffer | undefined>
  /** The next server decides which key it is. */
  forget(): Promise<void>
}

/**
 * Opens the keys of bundle links in a file that several servers have: one a line, and the first signs. Each call reads the file, so that a
 * change works at once. A file that cannot be read any more leaves the keys as they were, until the server starts again.
 *
 * @param onBroken is told once that the file cannot be read any more
 * @throws {OperatorError} if the file cannot be read or has no key.
 */
export function openSharedLinkKeys(file: string, onBroken?: (error: unknown) => void): LinkKeys {
  const readFile = () => readSharedKeys('--link-key-file', file)
  let keys = readFile()
  let isBroken = false
  const read = () => {
    try {
      keys = readFile()
      isBroken = false
    } catch (error) {
      // Such as a file that is being replaced.
      if (!isBroken) onBroken?.(error)
      isBroken = true
    }
    return keys
  }
  return {
    current: () => read()[0],
    // The operator removes a key when its last link has ended.
    replaced: () =>
      read()
        .slice(1)
        .map(key => ({ key, validUntil: Number.POSITIVE_INFINITY })),
  }
}

/** Whether the servers of a database sign with the current one of these keys. */
export async function isAgreedLinkKey(agreed: AgreedLinkKey, keys: LinkKeys): Promise<boolean> {
  const used = await agreed.find()
  return used?.equals(fingerprintLinkKey(keys.current())) ?? false
}

/** Refuses to start a server whose key differs from that of the others: its links would not work on them. */
export async function agreeOnLinkKey(agreed: AgreedLinkKey, keys: LinkKeys): Promise<void> {
  const current = fingerprintLinkKey(keys.current())
  const others = keys.replaced().map(({ key }) => fingerprintLinkKey(key))
  if (await agreed.agree([current, ...others])) return
  throw new OperatorError(
    'The key of bundle links on this machine is not that of the other servers of the database. Give all of them the same file with ' +
      '--link-key-file. If the old key is lost, run npx quire links revoke first.',
  )
}
