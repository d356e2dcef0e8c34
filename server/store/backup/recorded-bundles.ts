import Database from 'better-sqlite3'
import { isBundleName } from '../bundle-path.ts'
import { openUnchanged } from '../open-unchanged.ts'

/** A bundle as a database records it. */
export interface RecordedBundle {
  jobId: string
  fileName: string
  sizeBytes: number
  sha256: string
  /** See `Bundle`. */
  damage?: string
}

/** Lists the bundles of the completed jobs in a database file, whatever its schema version. */
export function listRecordedBundles(file: string): RecordedBundle[] {
  const database = openUnchanged(file)
  try {
    const hasJobs = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'export_jobs'").get() !== undefined
    if (!hasJobs) return []
    // An older schema has no damage.
    const hasDamage = "SELECT 1 FROM pragma_table_info('export_jobs') WHERE name = 'bundle_damage'"
    const damage = database.prepare(hasDamage).get() === undefined ? 'NULL' : 'bundle_damage'
    const rows = database
      .prepare<[], Omit<RecordedBundle, 'damage'> & { damage: string | null }>(
        `SELECT job_id AS jobId, bundle_file AS fileName, bundle_size_bytes AS sizeBytes, bundle_sha256 AS sha256,
           ${damage} AS damage
         FROM export_jobs WHERE status = 'completed' AND bundle_file IS NOT NULL`,
      )
      .all()
    return rows.map(({ damage, ...row }) => ({ ...row, ...(damage !== null && { damage }) }))
  } finally {
    database.close()
  }
}

/**
 * Returns a job id or a name of a bundle that would lead out of its folder; undefined when all are as Quire makes them.
 * A database that someone else wrote may contain any.
 */
export function findUnsafeName(file: string): string | undefined {
  const database = openUnchanged(file)
  try {
    const hasJobs = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'export_jobs'").get() !== undefined
    if (!hasJobs) return undefined
    const rows = database.prepare<[], { jobId: string; fileName: string | null }>(
      'SELECT job_id AS jobId, bundle_file AS fileName FROM export_jobs',
    )
    for (const { jobId, fileName } of rows.iterate()) {
      if (!isBundleName(jobId)) return jobId
      if (fileName !== null && !isBundleName(fileName)) return fileName
    }
    return undefined
  } finally {
    database.close()
  }
}

/** Removes jobs from the copy of a database. */
export function removeJobs(copy: string, jobIds: readonly string[]): void {
  const database = new Database(copy, { fileMustExist: true })
  try {
    database.pragma('foreign_keys = ON')
    const removeKeys = database.prepare<[string]>('DELETE FROM idempotency_keys WHERE job_id = ?')
    const removeJob = database.prepare<[string]>('DELETE FROM export_jobs WHERE job_id = ?')
    database.transaction(() => {
      for (const jobId of jobIds) {
        removeKeys.run(jobId)
        removeJob.run(jobId)
      }
    })()
  } finally {
    database.close()
  }
}
