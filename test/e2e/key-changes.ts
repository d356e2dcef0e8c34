// Creates and revokes API keys of an organization, and rotates the link key, as the commands do, until it is killed. Prints a
// JSON line after each change; for a revocation, also before it.
//
//   node test/e2e/key-changes.ts DATA_FOLDER ORGANIZATION_ID
import { setTimeout } from 'node:timers/promises'
import { rotateLinkKey } from '../../server/store/link-keys.ts'
import { openStore } from '../../server/store/store.ts'
import { createApiKey } from '../support/server.ts'

const [dataFolder = '', organizationId = ''] = process.argv.slice(2)
const changesPerRotation = 20
const pauseMs = 20

const store = openStore(dataFolder)
const print = (change: KeyChange) => process.stdout.write(`${JSON.stringify(change)}\n`)
for (let change = 1; ; change++) {
  const { key, keyId } = await createApiKey(store, organizationId)
  print({ kind: 'created', key })
  if (change % 2 === 0) {
    print({ kind: 'revoking', key })
    await store.apiKeys.revoke(keyId, Date.now())
    print({ kind: 'revoked', key })
  }
  if (change % changesPerRotation === 0) {
    await rotateLinkKey(dataFolder, Date.now(), () => store.exportJobs.findLastLinkExpiry(Date.now()))
  }
  await setTimeout(pauseMs)
}

/** A line of the output. */
export interface KeyChange {
  kind: 'created' | 'revoking' | 'revoked'
  key: string
}
