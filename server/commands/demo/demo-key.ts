import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordChange } from '../../store/record-change.ts'
import { addKey } from '../../store/recorded-inserts.ts'
import type { Store } from '../../store/store.ts'
import { describeKey, hashKey, issueKey, isWellFormedKey } from '../../tenancy/api-key.ts'

const keyName = 'demo'

export interface DemoKeyOptions {
  dataFolder: string
  keyPrefix: string
  now: number
  /** Whether to revoke the key of earlier starts and to make another. */
  newKey: boolean
}

/** The file with the demo's key. */
export function demoKeyFile(dataFolder: string): string {
  return join(dataFolder, 'demo.key')
}

/**
 * Returns the demo's key, the same at each start, so that pasted requests go on working.
 *
 * The database has only its SHA-256, as of every key. The key itself is in a file that only the user of the server can read,
 * beside `link.key`: whoever can read that file can already sign links to every bundle. Keys that `keys create` makes are
 * stored nowhere.
 */
export async function openDemoKey(
  store: Pick<Store, 'apiKeys' | 'atomically'>,
  organizationId: string,
  { dataFolder, keyPrefix, now, newKey }: DemoKeyOptions,
): Promise<string> {
  const file = demoKeyFile(dataFolder)
  const kept = newKey ? undefined : readKey(file)
  if (kept !== undefined && isWellFormedKey(keyPrefix, kept)) {
    const caller = await store.apiKeys.authenticate(hashKey(kept), now)
    if (caller?.organizationId === organizationId) return kept
  }
  for (const key of await store.apiKeys.list(organizationId)) {
    if (key.name !== keyName) continue
    await recordChange(store, { action: 'key.revoked', ...describeKey(key) }, ({ apiKeys }) =>
      apiKeys.revoke(key.id, now),
    )
  }
  const { key, secret } = issueKey(keyPrefix, { organizationId, name: keyName, createdAt: now, expiresAt: null })
  writeKey(file, secret)
  await addKey(store, key, hashKey(secret))
  return secret
}

/** Returns undefined if there is none; then another is made. */
function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Replaces the file in one step, and never writes into a file that others may read. */
function writeKey(file: string, key: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'w' })
  renameSync(draft, file)
}
