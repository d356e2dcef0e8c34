import type { Database } from 'better-sqlite3'
import type { FinishedExport, KeptBody, RememberedAnswer, RememberedView } from '../../export/model/site-cache.ts'

/** So many archives are kept, one for each way to export the site. */
const maxFinished = 3

interface AnswerRow {
  asked: string
  accept: string
  status: number
  url: string
  redirected: number
  content_type: string
  headers: string
  etag: string | null
  last_modified: string | null
  sha256: string | null
  size_bytes: number
  run: string
}

interface ViewRow {
  key: string
  given: string
  sha256: string
  size_bytes: number
  run: string
}

interface FinishedRow {
  key: string
  run: string
  page_count: number
  archive_sha256: string
  archive_size_bytes: number
  sha256: string
  size_bytes: number
}

const bodiesOfAll = `
  SELECT sha256, size_bytes FROM answers WHERE sha256 IS NOT NULL UNION
  SELECT sha256, size_bytes FROM views UNION
  SELECT sha256, size_bytes FROM finished UNION
  SELECT archive_sha256, archive_size_bytes FROM finished`

/** What stands in a body, not in the table. */
export type FinishedDetails = Pick<FinishedExport, 'report' | 'asked' | 'delays'>

type FinishedEntry = Omit<FinishedExport, keyof FinishedDetails>

/** The tables of a memory: site-memory.sql. */
export function openSiteCacheTables(database: Database) {
  const findAnswer = database.prepare<{ asked: string; accept: string }, AnswerRow>(
    'SELECT * FROM answers WHERE asked = @asked AND accept = @accept',
  )
  const putAnswer = database.prepare<AnswerRow>(
    `INSERT OR REPLACE INTO answers
       (asked, accept, status, url, redirected, content_type, headers, etag, last_modified, sha256, size_bytes, run)
     VALUES
       (@asked, @accept, @status, @url, @redirected, @content_type, @headers, @etag, @last_modified, @sha256, @size_bytes, @run)`,
  )
  const findView = database.prepare<{ key: string }, ViewRow>('SELECT * FROM views WHERE key = @key')
  const putView = database.prepare<ViewRow>(
    `INSERT OR REPLACE INTO views (key, given, sha256, size_bytes, run) VALUES (@key, @given, @sha256, @size_bytes, @run)`,
  )
  const findFinished = database.prepare<{ key: string }, FinishedRow>('SELECT * FROM finished WHERE key = @key')
  const putFinished = database.prepare<FinishedRow>(
    `INSERT OR REPLACE INTO finished
       (number, key, run, page_count, archive_sha256, archive_size_bytes, sha256, size_bytes)
     VALUES
       ((SELECT coalesce(max(number), 0) + 1 FROM finished),
        @key, @run, @page_count, @archive_sha256, @archive_size_bytes, @sha256, @size_bytes)`,
  )
  const forgetFinished = database.prepare<{ most: number }>(
    'DELETE FROM finished WHERE number NOT IN (SELECT number FROM finished ORDER BY number DESC LIMIT @most)',
  )
  const forgetAnswers = database.prepare<{ run: string }>(
    'DELETE FROM answers WHERE run <> @run AND run NOT IN (SELECT run FROM finished)',
  )
  const forgetViews = database.prepare<{ run: string }>(
    'DELETE FROM views WHERE run <> @run AND run NOT IN (SELECT run FROM finished)',
  )
  const renewals = [
    'UPDATE answers SET run = @run WHERE run = (SELECT run FROM finished WHERE key = @key)',
    'UPDATE views SET run = @run WHERE run = (SELECT run FROM finished WHERE key = @key)',
    'UPDATE finished SET run = @run, number = (SELECT max(number) + 1 FROM finished) WHERE key = @key',
  ].map(sql => database.prepare<{ key: string; run: string }>(sql))
  const listBodies = database.prepare<[], { sha256: string; size_bytes: number }>(bodiesOfAll)

  const put = database.transaction((answers: Iterable<RememberedAnswer>, views: Iterable<RememberedView>) => {
    for (const answer of answers) putAnswer.run(toAnswerRow(answer))
    for (const view of views) putView.run(toViewRow(view))
  })

  const finish = database.transaction((row: FinishedRow) => {
    putFinished.run(row)
    forgetFinished.run({ most: maxFinished })
    forgetAnswers.run({ run: row.run })
    forgetViews.run({ run: row.run })
  })

  const renew = database.transaction((key: string, run: string) => {
    for (const renewal of renewals) renewal.run({ key, run })
  })

  return {
    findAnswer(asked: string, accept: string): RememberedAnswer | undefined {
      const row = findAnswer.get({ asked, accept })
      return row && toAnswer(row)
    },
    findView(key: string): RememberedView | undefined {
      const row = findView.get({ key })
      return row && toView(row)
    },
    findFinished(key: string): { finished: FinishedEntry; details: KeptBody } | undefined {
      const row = findFinished.get({ key })
      return row && { finished: toFinished(row), details: { sha256: row.sha256, sizeBytes: row.size_bytes } }
    },
    /** All of them or none. */
    put: (answers: Iterable<RememberedAnswer>, views: Iterable<RememberedView>): void => put(answers, views),
    /** Notes a finished export, and forgets what no kept one saw. */
    finish: (finished: FinishedEntry, details: KeptBody): void => finish(toFinishedRow(finished, details)),
    /** What the run before saw, this one has seen the same. */
    renew: (key: string, run: string): void => renew(key, run),
    /** Hash and size of each body that a row names. */
    listBodies: () => listBodies.all().map(({ sha256, size_bytes }) => [sha256, size_bytes] as const),
  }
}

function toAnswerRow(answer: RememberedAnswer): AnswerRow {
  return {
    asked: answer.asked,
    accept: answer.accept,
    status: answer.status,
    url: answer.url,
    redirected: answer.redirected ? 1 : 0,
    content_type: answer.contentType,
    headers: JSON.stringify(answer.headers),
    etag: answer.validators.etag,
    last_modified: answer.validators.lastModified,
    sha256: answer.body?.sha256 ?? null,
    size_bytes: answer.body?.sizeBytes ?? 0,
    run: answer.run,
  }
}

function toAnswer(row: AnswerRow): RememberedAnswer {
  return {
    asked: row.asked,
    accept: row.accept,
    status: row.status,
    url: row.url,
    redirected: row.redirected === 1,
    contentType: row.content_type,
    headers: JSON.parse(row.headers),
    validators: { etag: row.etag, lastModified: row.last_modified },
    body: row.sha256 === null ? null : { sha256: row.sha256, sizeBytes: row.size_bytes },
    run: row.run,
  }
}

function toViewRow({ key, given, body, run }: RememberedView): ViewRow {
  return { key, given: JSON.stringify(given), sha256: body.sha256, size_bytes: body.sizeBytes, run }
}

function toView({ key, given, sha256, size_bytes, run }: ViewRow): RememberedView {
  return { key, given: JSON.parse(given), body: { sha256, sizeBytes: size_bytes }, run }
}

function toFinishedRow(finished: FinishedEntry, details: KeptBody): FinishedRow {
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

function toFinished(row: FinishedRow): FinishedEntry {
  return {
    key: row.key,
    run: row.run,
    pageCount: row.page_count,
    sha256: row.archive_sha256,
    sizeBytes: row.archive_size_bytes,
  }
}
