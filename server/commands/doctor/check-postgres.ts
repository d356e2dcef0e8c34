import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'
import { fingerprintLinkKey, fingerprintVisitorKey } from '../../store/key-fingerprints.ts'
import { inspectPostgres } from '../../store/open-postgres.ts'
import { readSharedKeys } from '../../store/shared-keys.ts'
import { type Check, type Finding, fail, ok, warn } from './finding.ts'

/** Checks that a PostgreSQL database can be used, and with which keys. Changes nothing. */
export async function checkPostgres(url: string, files: KeyFiles): Promise<Finding[]> {
  try {
    const state = await inspectPostgres(url)
    return [describe(state), ...checkSharedKeys(files, state)]
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [fail('databases', 'The PostgreSQL database cannot be used.', error.message)]
  }
}

function describe({ pending, isReadOnly }: { pending: readonly string[]; isReadOnly: boolean }): Finding {
  if (isReadOnly) {
    const message = 'The PostgreSQL database can be reached, but it is read-only.'
    const remedy = 'Give the address of the primary, or set default_transaction_read_only of the role to off.'
    return fail('databases', message, remedy)
  }
  if (pending.length === 0) return ok('databases', 'The PostgreSQL database can be reached and has the newest schema.')
  const message = `The PostgreSQL database can be reached. These migrations are pending: ${pending.join(', ')}.`
  return warn('databases', message, 'Dump it with pg_dump. The next start of a server applies them.')
}

/** Where this machine has its keys. */
interface KeyFiles {
  dataFolder: string
  linkKeyFile?: string | undefined
  visitorKeyFile?: string | undefined
}

interface Fingerprints {
  linkKeyFingerprint: Buffer | undefined
  visitorKeyFingerprint: Buffer | undefined
}

/** Compares the keys of this machine with those that the servers of a database use. A machine may have none of them. */
export function checkSharedKeys(
  { dataFolder, linkKeyFile, visitorKeyFile }: KeyFiles,
  { linkKeyFingerprint, visitorKeyFingerprint }: Fingerprints,
): Finding[] {
  const linkKey = {
    check: 'links' as const,
    name: 'link key',
    flag: '--link-key-file',
    file: linkKeyFile ?? join(dataFolder, 'link.key'),
    used: linkKeyFingerprint,
    fingerprint: fingerprintLinkKey,
    effect: 'A server with it does not start.',
  }
  const visitorKey = {
    check: 'databases' as const,
    name: 'visitor key',
    flag: '--visitor-key-file',
    file: visitorKeyFile ?? join(dataFolder, 'visitor.key'),
    used: visitorKeyFingerprint,
    fingerprint: fingerprintVisitorKey,
    effect: 'This machine counts no visitors with it.',
  }
  return [...checkKey(linkKey, linkKeyFile !== undefined), ...checkKey(visitorKey, visitorKeyFile !== undefined)]
}

interface SharedKey {
  check: Check
  name: string
  flag: string
  file: string
  /** Undefined = no server uses a key yet. */
  used: Buffer | undefined
  fingerprint(key: Uint8Array): Buffer
  effect: string
}

function checkKey({ check, name, flag, file, used, fingerprint, effect }: SharedKey, isGiven: boolean): Finding[] {
  if (!isGiven && !existsSync(file)) return []
  try {
    const keys = readSharedKeys(flag, file)
    if (used === undefined) return [ok(check, `${file} has a ${name}. No server of the database uses one yet.`)]
    if (keys.some(key => fingerprint(key).equals(used))) return [ok(check, `${file} has the ${name} of the database.`)]
    const message = `${file} has another ${name} than the servers of the database. ${effect}`
    return [fail(check, message, `Copy the file of a server that works, and name it with ${flag}.`)]
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [fail(check, `The ${name} of this machine cannot be used.`, error.message)]
  }
}
