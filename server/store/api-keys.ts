import type { ApiKeys } from '../tenancy/api-key.ts'
import type { Plan } from '../tenancy/organization.ts'
import { type ApiKeyRow, toApiKey, toScopes } from './api-key-row.ts'
import type { Database } from './database.ts'
import { prepareListPart } from './list-part.ts'
import { createUseNotes } from './note-use.ts'
import type { WriteQueue } from './write-queue.ts'

const columns = 'id, organization_id, name, last4, scopes, created_at, expires_at, revoked_at, last_used_at'

interface CallerRow {
  id: string
  name: string
  last4: string
  organization_id: string
  scopes: string
  last_used_at: number | null
  plan: Plan
}

/** @param write runs the writes that nobody waits for. */
export function openApiKeys(database: Database, write: WriteQueue['write'] = work => work()): ApiKeys {
  const insert = database.prepare<ApiKeyRow & { secret_sha256: Buffer }>(
    `INSERT INTO api_keys (id, organization_id, name, secret_sha256, last4, scopes, created_at, expires_at, revoked_at, last_used_at)
     VALUES (@id, @organization_id, @name, @secret_sha256, @last4, @scopes, @created_at, @expires_at, @revoked_at, @last_used_at)`,
  )
  const authenticate = database.prepare<{ secretSha256: Buffer; now: number }, CallerRow>(
    // A subquery takes a third of the time of a join here (3.3 instead of 10.8 microseconds).
    `SELECT id, name, last4, organization_id, scopes, last_used_at,
       (SELECT plan FROM organizations WHERE organizations.id = organization_id) AS plan
     FROM api_keys
     WHERE secret_sha256 = @secretSha256 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now)`,
  )
  const touch = database.prepare<{ id: string; now: number }>('UPDATE api_keys SET last_used_at = @now WHERE id = @id')
  const revoke = database.prepare<{ id: string; now: number }>(
    'UPDATE api_keys SET revoked_at = max(created_at, @now) WHERE id = @id AND revoked_at IS NULL',
  )

  const noteUse = createUseNotes(write, use => touch.run(use))

  return {
    insert(key, secretSha256) {
      insert.run({
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
    authenticate(secretSha256, now) {
      const row = authenticate.get({ secretSha256, now })
      if (!row) return undefined
      noteUse({ id: row.id, storedAt: row.last_used_at, now })
      return {
        keyId: row.id,
        keyName: row.name,
        last4: row.last4,
        organizationId: row.organization_id,
        plan: row.plan,
        scopes: toScopes(row.scopes),
      }
    },
    ...openReads(database),
    revoke: (id, now) => revoke.run({ id, now }).changes === 1,
  }
}

function openReads(database: Database): Pick<ApiKeys, 'list' | 'listPart' | 'findOwned'> {
  const list = database.prepare<{ organizationId: string | null }, ApiKeyRow>(
    `SELECT ${columns} FROM api_keys
     WHERE @organizationId IS NULL OR organization_id = @organizationId ORDER BY created_at, id`,
  )
  const listPart = prepareListPart<ApiKeyRow>(database, {
    columns,
    from: 'api_keys',
    where: 'organization_id = @owner',
    searched: "name || ' ' || last4",
    order: 'created_at DESC, id',
  })
  const findOwned = database.prepare<{ organizationId: string; id: string }, ApiKeyRow>(
    `SELECT ${columns} FROM api_keys WHERE id = @id AND organization_id = @organizationId`,
  )
  return {
    list: (organizationId = undefined) => list.all({ organizationId: organizationId ?? null }).map(toApiKey),
    listPart(organizationId, part) {
      const { rows, count } = listPart(organizationId, part)
      return { rows: rows.map(toApiKey), count }
    },
    findOwned(organizationId, id) {
      const row = findOwned.get({ organizationId, id })
      return row && toApiKey(row)
    },
  }
}
