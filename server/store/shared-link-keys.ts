import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError } from '../base/operator-error.ts'
import type { LinkKeys } from '../export/jobs/bundle-link.ts'
import { secretBytes } from './secret-file.ts'

/** What the servers of a database know of the key that signs bundle links. The key itself is not in the database. */
export interface AgreedLinkKey {
  /**
   * Returns whether a server may sign links: it knows the key that the others sign with, or it is the first.
   *
   * @param fingerprints of the key that the server signs with, and of earlier keys.
   */
  agree(fingerprints: readonly [Buffer, ...Buffer[]]): Promise<boolean>
  /** The next server decides which key it is. */
  forget(): Promise<void>
}

/**
 * Opens the keys of bundle links in a file that several servers have: one a line, and the first signs. Each call reads the file, so that a
 * change works at once. A file that cannot be read any more leaves the keys as they were.
 *
 * @throws {OperatorError} if the file cannot be read or has no key.
 */
export function openSharedLinkKeys(file: string): LinkKeys {
  let keys = readKeys(file)
  const read = () => {
    try {
      keys = readKeys(file)
    } catch {
      // Such as a file that is being replaced.
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

/** Lets a server with another key than the others not start: its links would not work on them. */
export async function agreeOnLinkKey(agreed: AgreedLinkKey, keys: LinkKeys): Promise<void> {
  const current = fingerprintOf(keys.current())
  const others = keys.replaced().map(({ key }) => fingerprintOf(key))
  if (await agreed.agree([current, ...others])) return
  throw new OperatorError(
    'The key of bundle links on this machine is not that of the other servers of the database. Give all of them the same file with ' +
      '--link-key-file. If the old key is lost, run npx quire links revoke first.',
  )
}

/** Identifies a key without giving it away. */
function fingerprintOf(key: Buffer): Buffer {
  return createHmac('sha256', key).update('quire link key').digest()
}

function readKeys(file: string): [Buffer, ...Buffer[]] {
  const content = read(file)
  // A file that Quire made for a data folder.
  if (content.length === secretBytes) return [content]
  const [first, ...others] = content
    .toString('latin1')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => toKey(file, line))
  if (!first) throw new OperatorError(`${file} is empty. Make a key: openssl rand -hex 32`)
  return [first, ...others]
}

function read(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`--link-key-file: ${file} cannot be read (${code}).`, 1, { cause: error })
  }
}

function toKey(file: string, line: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(line)) return Buffer.from(line, 'hex')
  throw new OperatorError(`${file} must have 64 hexadecimal digits in each line. Make a key: openssl rand -hex 32`)
}
