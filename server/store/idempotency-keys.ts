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
    Pick<Row, 'organizationId' | 'idempotencyKey'>,
    { request_sha256: string; job_id: string }
  >(
    `SELECT request_sha256, job_id FROM idempotency_keys
     WHERE organization_id = @organizationId AND idempotency_key = @idempotencyKey`,
  )
  const insert = database.prepare<Row>(
    `INSERT INTO idempotency_keys (organization_id, idempotency_key, request_sha256, job_id, created_at)
     VALUES (@organizationId, @idempotencyKey, @requestSha256, @jobId, @createdAt)`,
  )
  const deleteOld = database.prepare<{ createdBefore: number }>(
    'DELETE FROM idempotency_keys WHERE created_at < @createdBefore',
  )
  const deleteOfJob = database.prepare<{ jobId: string }>('DELETE FROM idempotency_keys WHERE job_id = @jobId')

  return {
    find: (organizationId: string, idempotencyKey: string) => find.get({ organizationId, idempotencyKey }),
    insert: (row: Row): void => void insert.run(row),
    deleteOld: (createdBefore: number): void => void deleteOld.run({ createdBefore }),
    deleteOfJob: (jobId: string): void => void deleteOfJob.run({ jobId }),
  }
}
