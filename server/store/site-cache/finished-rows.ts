import type { Database } from 'better-sqlite3'
import type { FinishedExport, KeptBody } from '../../export/model/site-cache.ts'

/** The part of a finished export that is stored in a body, not in the table. */
export type FinishedDetails = Pick<FinishedExport, 'report' | 'asked' | 'delays'>

/** The part of a finished export that is stored in the table. */
export type FinishedEntry = Omit<FinishedExport, keyof FinishedDetails>

interface Row {
  key: string
  run: string
  page_count: number
  archive_sha256: string
  archive_size_bytes: number
  sha256: string
  size_bytes: number
}

/** Max stored archives; each set of export options has one. */
const maxFinished = 3

/** The table of finished exports. */
export function openFinishedRows(database: Database) {
  const find = database.prepare<{ key: string }, Row>('SELECT * FROM finished WHERE key = @key')
  const put = database.prepare<Row>(
    `INSERT OR REPLACE INTO finished
       (number, key, run, page_count, archive_sha256, archive_size_bytes, sha256, size_bytes)
     VALUES
       ((SELECT coalesce(max(number), 0) + 1 FROM finished),
        @key, @run, @page_count, @archive_sha256, @archive_size_bytes, @sha256, @size_bytes)`,
  )
  const renew = database.prepare<{ key: string; run: string }>(
    'UPDATE finished SET run = @run, number = (SELECT max(number) + 1 FROM finished) WHERE key = @key',
  )
  const deleteOldest = database.prepare<{ maxRows: number }>(
    'DELETE FROM finished WHERE number NOT IN (SELECT number FROM finished ORDER BY number DESC LIMIT @maxRows)',
  )
  const deleteAll = database.prepare('DELETE FROM finished')

  return {
    find(key: string): { finished: FinishedEntry; details: KeptBody } | undefined {
      const row = find.get({ key })
      return row && { finished: toFinished(row), details: { sha256: row.sha256, sizeBytes: row.size_bytes } }
    },
    put: (finished: FinishedEntry, details: KeptBody): void => void put.run(toRow(finished, details)),
    /** Assigns a finished export to another run and makes it the newest. */
    renew: (key: string, run: string): void => void renew.run({ key, run }),
    /** Deletes all rows except the newest `maxFinished`. */
    deleteOldest: (): void => void deleteOldest.run({ maxRows: maxFinished }),
    deleteAll: (): void => void deleteAll.run(),
  }
}

function toRow(finished: FinishedEntry, details: KeptBody): Row {
  return {
    key: finished.key,
    run: finished.run,
    page_count: finished.pageCount,
    archive_sha256: finished.sha256,
    archive_size_bytes: finished.sizeBytes,
    sha256: details.sha256,
    size_bytes: details.sizeBytes,
  }
}

function toFinished(row: Row): FinishedEntry {
  return {
    key: row.key,
    run: row.run,
    pageCount: row.page_count,
    sha256: row.archive_sha256,
    sizeBytes: row.archive_size_bytes,
  }
}
