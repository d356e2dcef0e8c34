import type { AgreedLinkKey } from '../shared-link-keys.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

const insert = statement<{ fingerprint: Buffer }>(
  'INSERT INTO link_key (id, fingerprint) VALUES (1, @fingerprint) ON CONFLICT (id) DO NOTHING',
  { isRepeatable: true },
)
const find = statement<object, { fingerprint: Buffer }>('SELECT fingerprint FROM link_key')
const update = statement<{ fingerprint: Buffer }>('UPDATE link_key SET fingerprint = @fingerprint', {
  isRepeatable: true,
})
const remove = statement<object>('DELETE FROM link_key', { isRepeatable: true })

export function openAgreedLinkKey(database: Database): AgreedLinkKey {
  return {
    async agree([fingerprint, ...others]) {
      await database.run(insert, { fingerprint })
      const used = (await database.get(find, {}))?.fingerprint
      if (used === undefined || used.equals(fingerprint)) return used !== undefined
      const isEarlier = others.some(other => other.equals(used))
      if (isEarlier) await database.run(update, { fingerprint })
      return isEarlier
    },
    find: async () => (await database.get(find, {}))?.fingerprint,
    forget: async () => void (await database.run(remove, {})),
  }
}
