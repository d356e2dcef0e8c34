import type { ApiKeys } from '../../tenancy/api-key.ts'
import type { Plan } from '../../tenancy/organization.ts'
import { type ApiKeyRow, toApiKey, toScopes } from '../api-key-row.ts'
import { useResolutionMs } from '../note-use.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { statement } from './statement.ts'

type CallerRow = Pick<ApiKeyRow, 'id' | 'name' | 'last4' | 'organization_id' | 'scopes'> & { plan: Plan }

const columns = 'id, organization_id, name, last4, scopes, created_at, expires_at, revoked_at, last_used_at'

const insert = statement<ApiKeyRow & { secret_sha256: Buffer }>(
  `INSERT INTO api_keys (id, organization_id, name, secret_sha256, last4, scopes, created_at, expires_at, revoked_at, last_used_at)
   VALUES (@id, @organization_id, @name, @secret_sha256, @last4, @scopes, @created_at, @expires_at, @revoked_at, @last_used_at)`,
)
// One round trip, which writes once a minute. A last use in the future was stored before the clock was set back.
const authenticate = statement<{ secretSha256: Buffer; now: number }, CallerRow>(
  `WITH used AS (
     UPDATE api_keys SET last_used_at = @now
     WHERE secret_sha256 = @secretSha256 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now)
       AND abs(@now - coalesce(last_used_at, 0)) >= ${useResolutionMs}
   )
   SELECT key.id, key.name, last4, organization_id, scopes, plan
   FROM api_keys AS key JOIN organizations ON organizations.id = organization_id
   WHERE secret_sha256 = @secretSha256 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now)`,
  { isRepeatable: true },
)
const list = statement<{ organizationId: string | null }, ApiKeyRow>(
  `SELECT ${columns} FROM api_keys
   WHERE @organizationId::text IS NULL OR organization_id = @organizationId ORDER BY created_at, id`,
)
const listPart = prepareListPart<ApiKeyRow>({
  columns,
  from: 'api_keys',
  where: 'organization_id = @owner',
  searched: "name || ' ' || last4",
  order: 'created_at DESC, id',
})
const findOwned = statement<{ organizationId: string; id: string }, ApiKeyRow>(
  `SELECT ${columns} FROM api_keys WHERE id = @id AND organization_id = @organizationId`,
)
const revoke = statement<{ id: string; now: number }>(
  'UPDATE api_keys SET revoked_at = greatest(created_at, @now) WHERE id = @id AND revoked_at IS NULL',
)

export function openApiKeys(database: Database): ApiKeys {
  return {
    async insert(key, secretSha256) {
      await database.run(insert, {
        id: key.id,
        organization_id: key.organizationId,
        name: key.name,
        secret_sha256: secretSha256,
        last4: key.last4,
        scopes: key.scopes.join(' '),
        created_at: key.createdAt,
        expires_at: key.expiresAt,
        revoked_at: key.revokedAt,
        last_used_at: key.lastUsedAt,
      })
    },
    async authenticate(secretSha256, now) {
      const row = await database.get(authenticate, { secretSha256, now })
      return (
        row && {
          keyId: row.id,
          keyName: row.name,
          last4: row.last4,
          organizationId: row.organization_id,
          plan: row.plan,
          scopes: toScopes(row.scopes),
        }
      )
    },
    list: async (organizationId = undefined) =>
      (await database.all(list, { organizationId: organizationId ?? null })).map(toApiKey),
    async listPart(organizationId, part) {
      const { rows, count } = await listPart(database, organizationId, part)
      return { rows: rows.map(toApiKey), count }
    },
    async findOwned(organizationId, id) {
      const row = await database.get(findOwned, { organizationId, id })
      return row && toApiKey(row)
    },
    revoke: async (id, now) => (await database.run(revoke, { id, now })) === 1,
  }
}
