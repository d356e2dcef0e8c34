import type { Database } from './database.ts'
import { statement } from './statement.ts'

interface Row {
  organizationId: string
  idempotencyKey: string
  requestSha256: string
  jobId: string
  createdAt: number
}

type Key = Pick<Row, 'organizationId' | 'idempotencyKey'>

const capTime = statement<Key & { now: number }>(
  `UPDATE idempotency_keys SET created_at = @now
   WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey AND created_at > @now`,
)
const find = statement<Key & { since: number }, { request_sha256: string; job_id: string }>(
  `SELECT request_sha256, job_id FROM idempotency_keys
   WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey AND created_at >= @since`,
)
const put = statement<Row>(
  `INSERT INTO idempotency_keys (organization_id, idempotency_key, request_sha256, job_id, created_at)
   VALUES (@organizationId, @idempotencyKey, @requestSha256, @jobId, @createdAt)
   ON CONFLICT (organization_id, idempotency_key)
   DO UPDATE SET request_sha256 = @requestSha256, job_id = @jobId, created_at = @createdAt`,
)

/**
 * Finds a key that was stored at `since` or later. If it was stored later than `now`, the clock was set back, or the clocks of the nodes
 * differ: from now on, the key is valid for the usual time.
 */
export async function findKey(
  database: Database,
  key: Key,
  { since, now }: { since: number; now: number },
): Promise<{ request_sha256: string; job_id: string } | undefined> {
  await database.run(capTime, { ...key, now })
  return database.get(find, { ...key, since })
}

/** Stores a key. Replaces an older use of the same key. */
export async function putKey(database: Database, row: Row): Promise<void> {
  await database.run(put, row)
}

export const deleteOldKeys = statement<{ createdBefore: number }>(
  'DELETE FROM idempotency_keys WHERE created_at < @createdBefore',
  { isRepeatable: true },
)
export const deleteKeysOfJob = statement<{ jobId: string }>('DELETE FROM idempotency_keys WHERE job_id = @jobId')
