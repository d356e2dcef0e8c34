import { get, run, sql, type Work } from './noun.ts'

interface Row {
  organizationId: string
  idempotencyKey: string
  requestSha256: string
  jobId: string
  createdAt: number
}

type Key = Pick<Row, 'organizationId' | 'idempotencyKey'>

const capTime = sql<Key & { now: number }>(
  `UPDATE idempotency_keys SET created_at = @now
   WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey AND created_at > @now`,
)
const find = sql<Key & { since: number }, { request_sha256: string; job_id: string }>(
  `SELECT request_sha256, job_id FROM idempotency_keys
   WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey AND created_at >= @since`,
)
/** Stores a key. Replaces an older use of the same key. */
export const putKey = sql<Row>(
  `INSERT INTO idempotency_keys (organization_id, idempotency_key, request_sha256, job_id, created_at)
   VALUES (@organizationId, @idempotencyKey, @requestSha256, @jobId, @createdAt)
   ON CONFLICT (organization_id, idempotency_key)
   DO UPDATE SET request_sha256 = @requestSha256, job_id = @jobId, created_at = @createdAt`,
)
export const deleteOldKeys = sql<{ createdBefore: number }>(
  'DELETE FROM idempotency_keys WHERE created_at < @createdBefore',
  { isRepeatable: true },
)
export const deleteKeysOfJob = sql<{ jobId: string }>('DELETE FROM idempotency_keys WHERE job_id = @jobId')

/**
 * Finds a key that was stored at `since` or later. If it was stored later than `now`, the clock was set back, or the clocks of the nodes
 * differ: from now on, the key is valid for the usual time.
 */
export function* findKey(
  key: Key,
  { since, now }: { since: number; now: number },
): Work<{ request_sha256: string; job_id: string } | undefined> {
  yield* run(capTime, { ...key, now })
  return yield* get(find, { ...key, since })
}
