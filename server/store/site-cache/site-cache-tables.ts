import type { Database } from 'better-sqlite3'
import type { CachedAnswer, CachedView, KeptBody } from '../../export/model/site-cache.ts'
import { openAnswerRows } from './answer-rows.ts'
import { type FinishedEntry, openFinishedRows } from './finished-rows.ts'
import { openViewRows } from './view-rows.ts'

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
