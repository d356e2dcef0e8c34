import type { Database } from 'better-sqlite3'
import type { CachedAnswer } from '../../export/model/site-cache.ts'

interface Row {
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

/** The table of answers. */
export function openAnswerRows(database: Database) {
  const find = database.prepare<{ asked: string; accept: string }, Row>(
    'SELECT * FROM answers WHERE asked = @asked AND accept = @accept',
  )
  const put = database.prepare<Row>(
    `INSERT OR REPLACE INTO answers
       (asked, accept, status, url, redirected, content_type, headers, etag, last_modified, sha256, size_bytes, run)
     VALUES
       (@asked, @accept, @status, @url, @redirected, @content_type, @headers, @etag, @last_modified, @sha256, @size_bytes, @run)`,
  )
  const renew = database.prepare<{ key: string; run: string }>(
    'UPDATE answers SET run = @run WHERE run = (SELECT run FROM finished WHERE key = @key)',
  )
  const deleteUnused = database.prepare<{ run: string }>(
    'DELETE FROM answers WHERE run <> @run AND run NOT IN (SELECT run FROM finished)',
  )

  return {
    find(asked: string, accept: string): CachedAnswer | undefined {
      const row = find.get({ asked, accept })
      return row && toAnswer(row)
    },
    put: (answer: CachedAnswer): void => void put.run(toRow(answer)),
    /** Assigns the answers of a finished export to another run. */
    renew: (key: string, run: string): void => void renew.run({ key, run }),
    /** Keeps the answers used by this run or by a finished export, and deletes all others. */
    deleteUnused: (run: string): void => void deleteUnused.run({ run }),
  }
}

function toRow(answer: CachedAnswer): Row {
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

function toAnswer(row: Row): CachedAnswer {
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
