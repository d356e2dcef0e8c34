import type { Database } from './database.ts'

interface Row {
  organizationId: string
  idempotencyKey: string
  requestSha256: string
  jobId: string
  createdAt: number
}

/** The idempotency keys of export jobs. */
export function openIdempotencyKeys(database: Database) {
  const find = database.prepare<
    Pick<Row, 'organizationId' | 'idempotencyKey'> & { since: number },
    { request_sha256: string; job_id: string }
  >(
    `SELECT request_sha256, job_id FROM idempotency_keys
     WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey AND created_at >= @since`,
  )
  const put = database.prepare<Row>(
    `INSERT OR REPLACE INTO idempotency_keys (organization_id, idempotency_key, request_sha256, job_id, created_at)
     VALUES (@organizationId, @idempotencyKey, @requestSha256, @jobId, @createdAt)`,
  )
  const capTime = database.prepare<Pick<Row, 'organizationId' | 'idempotencyKey'> & { now: number }>(
    `UPDATE idempotency_keys SET created_at = @now
     WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey AND created_at > @now`,
  )
  const deleteOld = database.prepare<{ createdBefore: number }>(
    'DELETE FROM idempotency_keys WHERE created_at < @createdBefore',
  )
  const deleteOfJob = database.prepare<{ jobId: string }>('DELETE FROM idempotency_keys WHERE job_id = @jobId')

  return {
    /**
     * Finds a key that was stored at `since` or later. If it was stored later than `now`, the clock was set back: from now
     * on, the key is valid for the usual time.
     */
    find(organizationId: string, idempotencyKey: string, { since, now }: { since: number; now: number }) {
      capTime.run({ organizationId, idempotencyKey, now })
      return find.get({ organizationId, idempotencyKey, since })
    },
    /** Stores a key. Replaces an older use of the same key. */
    put: (row: Row): void => void put.run(row),
    deleteOld: (createdBefore: number): void => void deleteOld.run({ createdBefore }),
    deleteOfJob: (jobId: string): void => void deleteOfJob.run({ jobId }),
  }
}
