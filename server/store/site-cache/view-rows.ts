import type { Database } from 'better-sqlite3'
import type { CachedView } from '../../export/model/site-cache.ts'

interface Row {
  key: string
  given: string
  sha256: string
  size_bytes: number
  run: string
}

/** The table of views. */
export function openViewRows(database: Database) {
  const find = database.prepare<{ key: string }, Row>('SELECT * FROM views WHERE key = @key')
  const put = database.prepare<Row>(
    `INSERT OR REPLACE INTO views (key, given, sha256, size_bytes, run) VALUES (@key, @given, @sha256, @size_bytes, @run)`,
  )
  const renew = database.prepare<{ key: string; run: string }>(
    'UPDATE views SET run = @run WHERE run = (SELECT run FROM finished WHERE key = @key)',
  )
  const deleteUnused = database.prepare<{ run: string }>(
    'DELETE FROM views WHERE run <> @run AND run NOT IN (SELECT run FROM finished)',
  )

  return {
    find(key: string): CachedView | undefined {
      const row = find.get({ key })
      return row && toView(row)
    },
    put: (view: CachedView): void => void put.run(toRow(view)),
    /** Assigns the views of a finished export to another run. */
    renew: (key: string, run: string): void => void renew.run({ key, run }),
    /** Keeps the views used by this run or by a finished export, and deletes all others. */
    deleteUnused: (run: string): void => void deleteUnused.run({ run }),
  }
}

function toRow({ key, given, body, run }: CachedView): Row {
  return { key, given: JSON.stringify(given), sha256: body.sha256, size_bytes: body.sizeBytes, run }
}

function toView({ key, given, sha256, size_bytes, run }: Row): CachedView {
  return { key, given: JSON.parse(given), body: { sha256, sizeBytes: size_bytes }, run }
}
