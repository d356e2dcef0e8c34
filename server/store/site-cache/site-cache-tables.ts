import type { Database } from 'better-sqlite3'
import type { CachedAnswer, CachedView, KeptBody } from '../../export/model/site-cache.ts'
import { openAnswerRows } from './answer-rows.ts'
import { type FinishedEntry, openFinishedRows } from './finished-rows.ts'

export type SiteCacheTables = ReturnType<typeof openSiteCacheTables>

/** Opens the tables of site-cache.sql, with the transactions that span several tables. */
export function openSiteCacheTables(database: Database) {
  const answers = openAnswerRows(database)
  const views = openViewRows(database)
  const finished = openFinishedRows(database)
  const listBodies = database.prepare<[], { sha256: string; size_bytes: number }>(
    `SELECT sha256, size_bytes FROM answers WHERE sha256 IS NOT NULL UNION
     SELECT sha256, size_bytes FROM views UNION
     SELECT sha256, size_bytes FROM finished UNION
     SELECT archive_sha256, archive_size_bytes FROM finished`,
  )

  const put = database.transaction((newAnswers: Iterable<CachedAnswer>, newViews: Iterable<CachedView>) => {
    for (const answer of newAnswers) answers.put(answer)
    for (const view of newViews) views.put(view)
  })
  const finish = database.transaction((entry: FinishedEntry, details: KeptBody) => {
    finished.put(entry, details)
    finished.deleteOldest()
    answers.deleteUnused(entry.run)
    views.deleteUnused(entry.run)
  })
  const keepOnlyRun = database.transaction((run: string) => {
    finished.deleteAll()
    answers.deleteUnused(run)
    views.deleteUnused(run)
  })
  const renew = database.transaction((key: string, run: string) => {
    answers.renew(key, run)
    views.renew(key, run)
    finished.renew(key, run)
  })

  return {
    findAnswer: answers.find,
    findView: views.find,
    findFinished: finished.find,
    /** Stores all answers and views, or none if an error occurs. */
    put: (newAnswers: Iterable<CachedAnswer>, newViews: Iterable<CachedView>): void => put(newAnswers, newViews),
    /** Stores a finished export, keeps the answers and views used by stored exports, and deletes all others. */
    finish: (entry: FinishedEntry, details: KeptBody): void => finish(entry, details),
    /** Deletes all finished exports, and all answers and views that this run did not use. */
    keepOnlyRun: (run: string): void => keepOnlyRun(run),
    /** Records that this run used the same answers and views as the finished export with this key. */
    renew: (key: string, run: string): void => renew(key, run),
    /** Lists the hash and size of each body that a row refers to. */
    listBodies: () => listBodies.all().map(({ sha256, size_bytes }) => [sha256, size_bytes] as const),
  }
}

interface Row {
  key: string
  given: string
  sha256: string
  size_bytes: number
  run: string
}

/** The table of views. */
function openViewRows(database: Database) {
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
