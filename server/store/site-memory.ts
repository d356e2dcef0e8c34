import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { digest } from '../export/memory/answer-digest.ts'
import type {
  FinishedExport,
  KeptBody,
  RememberedAnswer,
  RememberedView,
  SiteMemory,
} from '../export/memory/site-memory.ts'
import { openKeptBodies } from './kept-bodies.ts'
import { makeFolder } from './make-folder.ts'

export interface SiteMemoryOptions {
  folder: string
  /** Past it nothing more is kept. */
  mostBytes: number
  /** Archives are linked instead of copied: whoever has them never writes into them. */
  sharesArchives: boolean
  /** Hears why nothing is remembered any more. */
  warn(details: { err: unknown }, message: string): void
}

/** Raised with every change of the tables or of what stands in them. */
const version = 2
/** So many archives are kept, one for each way to export the site. */
const mostFinished = 3
const flushMs = 250
const mostPending = 200

/**
 * Opens what is remembered of one site: an SQLite file of its own, and bodies beside it. Nothing in it is worth a complaint:
 * damaged, or of another version, it begins anew. Null while somebody else has it open; the lock ends with the process.
 *
 * @throws {Error} of the file system when the folder cannot be used.
 */
export function openSiteMemory(options: SiteMemoryOptions): SiteMemory | null {
  const { folder } = options
  for (let attempt = 0; ; attempt += 1) {
    makeFolder(join(folder, 'bodies'))
    let database: Database.Database | undefined
    try {
      database = openDatabase(join(folder, 'memory.db'))
      return createSiteMemory(database, options)
    } catch (error) {
      database?.close()
      const code = String((error as { code?: unknown }).code ?? '')
      if (code.startsWith('SQLITE_BUSY')) return null
      if (attempt > 0 || !isUseless(error)) throw error
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The content is of no use, as opposed to the disk. */
function isUseless(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? '')
  return error instanceof OtherVersion || /^SQLITE_(NOTADB|CORRUPT|ERROR|CONSTRAINT|FORMAT)/.test(code)
}

class OtherVersion extends Error {}

function openDatabase(file: string): Database.Database {
  const database = new Database(file, { timeout: 0 })
  try {
    // The file is locked as long as it is open: two exports never share a memory.
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    // A power cut may cost the last writes, never the order of them; all of it can be fetched again.
    database.pragma('synchronous = NORMAL')
    database.exec('BEGIN IMMEDIATE; COMMIT')
    const found = database.pragma('user_version', { simple: true })
    if (found === 0) {
      database.exec(readFileSync(join(import.meta.dirname, 'site-memory.sql'), 'utf8'))
      database.pragma(`user_version = ${version}`)
    } else if (found !== version) throw new OtherVersion()
    if (database.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new OtherVersion()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

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

function createSiteMemory(database: Database.Database, options: SiteMemoryOptions): SiteMemory {
  const { folder, mostBytes, sharesArchives } = options
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
  // What the run before saw, this one has seen the same.
  const renewals = [
    'UPDATE answers SET run = @run WHERE run = (SELECT run FROM finished WHERE key = @key)',
    'UPDATE views SET run = @run WHERE run = (SELECT run FROM finished WHERE key = @key)',
    'UPDATE finished SET run = @run, number = (SELECT max(number) + 1 FROM finished) WHERE key = @key',
  ].map(sql => database.prepare<{ key: string; run: string }>(sql))
  const listBodies = database.prepare<[], { sha256: string; size_bytes: number }>(bodiesOfAll)

  const bodiesFolder = join(folder, 'bodies')
  const sizes = new Map(listBodies.all().map(({ sha256, size_bytes }) => [sha256, size_bytes]))
  const bodies = openKeptBodies(bodiesFolder, new Set(readdirSync(bodiesFolder)))
  let keptBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)

  const answers = new Map<string, RememberedAnswer>()
  const views = new Map<string, RememberedView>()
  let timer: NodeJS.Timeout | undefined
  let failure: unknown

  /** Runs a part of the memory's work; what fails is given up together with all that would follow. */
  function attempt<T>(work: () => T, otherwise: T): T {
    if (failure !== undefined) return otherwise
    try {
      return work()
    } catch (error) {
      giveUp(error)
      return otherwise
    }
  }

  async function attemptAsync<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    if (failure !== undefined) return otherwise
    try {
      return await work()
    } catch (error) {
      giveUp(error)
      return otherwise
    }
  }

  function giveUp(error: unknown): void {
    failure = error
    answers.clear()
    views.clear()
    options.warn({ err: error }, 'what is remembered of the site cannot be used; the export goes on without')
  }

  const writePending = database.transaction(() => {
    for (const answer of answers.values()) putAnswer.run(toAnswerRow(answer))
    for (const view of views.values()) putView.run(toViewRow(view))
  })

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (answers.size + views.size === 0) return
    attempt(() => writePending(), undefined)
    answers.clear()
    views.clear()
  }

  function flushSoon(): void {
    if (answers.size + views.size >= mostPending) flush()
    else timer ??= setTimeout(flush, flushMs)
  }

  /** Whether there is room for a body; it counts as kept from then on. */
  function claim({ sha256, sizeBytes }: KeptBody): boolean {
    if (failure !== undefined) return false
    if (sizes.has(sha256)) return true
    if (keptBytes + sizeBytes > mostBytes) return false
    sizes.set(sha256, sizeBytes)
    keptBytes += sizeBytes
    return true
  }

  async function writeJson(value: unknown): Promise<KeptBody | null> {
    const bytes = Buffer.from(JSON.stringify(value))
    const body = { sha256: digest(bytes), sizeBytes: bytes.length }
    if (!claim(body)) return null
    await bodies.write(bytes, body)
    return body
  }

  const write = database.transaction((row: FinishedRow) => {
    putFinished.run(row)
    forgetFinished.run({ most: mostFinished })
    forgetAnswers.run({ run: row.run })
    forgetViews.run({ run: row.run })
  })

  const renew = database.transaction((key: string, run: string) => {
    for (const renewal of renewals) renewal.run({ key, run })
  })

  async function sweep(): Promise<void> {
    sizes.clear()
    for (const { sha256, size_bytes } of listBodies.all()) sizes.set(sha256, size_bytes)
    keptBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    await bodies.keepOnly(new Set(sizes.keys()))
  }

  return {
    findAnswer: (asked, accept) =>
      answers.get(`${accept} ${asked}`) ??
      attempt(() => {
        const row = findAnswer.get({ asked, accept })
        return row && toAnswer(row)
      }, undefined),
    putAnswer(answer) {
      if (failure !== undefined) return
      answers.set(`${answer.accept} ${answer.asked}`, answer)
      flushSoon()
    },
    keepBody: (bytes, body) =>
      attemptAsync(async () => {
        if (!claim(body)) return false
        await bodies.write(bytes, body)
        return true
      }, false),
    keepFile: (file, body) =>
      attemptAsync(async () => {
        if (!claim(body)) return false
        await bodies.take(file, body)
        return true
      }, false),
    readBody: body => attemptAsync(() => bodies.read(body), null),
    copyBody: (body, file) => attemptAsync(() => bodies.copy(body, file), false),
    findView: key =>
      views.get(key) ??
      attempt(() => {
        const row = findView.get({ key })
        return row && toView(row)
      }, undefined),
    putView(view) {
      if (failure !== undefined) return
      views.set(view.key, view)
      flushSoon()
    },
    findFinished: key =>
      attemptAsync(async () => {
        const row = findFinished.get({ key })
        const details = row && (await bodies.read({ sha256: row.sha256, sizeBytes: row.size_bytes }))
        return row && details ? toFinished(row, details) : undefined
      }, undefined),
    copyArchive: (body, file) => attemptAsync(() => bodies.copy(body, file, sharesArchives), false),
    renew(key, run) {
      flush()
      attempt(() => renew(key, run), undefined)
    },
    finish: (finished, archive) =>
      attemptAsync(async () => {
        flush()
        const { report, asked, delays, ...rest } = finished
        const details = await writeJson({ report, asked, delays })
        if (!details || !claim(finished)) return sweep()
        await bodies.take(archive, finished, sharesArchives)
        write(toFinishedRow(rest, details))
        await sweep()
      }, undefined),
    async close() {
      flush()
      try {
        database.close()
      } catch (error) {
        failure ??= error
      }
      if (failure !== undefined && isUseless(failure)) rmSync(folder, { recursive: true, force: true })
    },
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

function toFinishedRow(finished: Omit<FinishedExport, 'report' | 'asked' | 'delays'>, details: KeptBody): FinishedRow {
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

function toFinished(row: FinishedRow, details: Buffer): FinishedExport {
  const { report, asked, delays } = JSON.parse(details.toString()) as Pick<
    FinishedExport,
    'report' | 'asked' | 'delays'
  >
  return {
    key: row.key,
    run: row.run,
    pageCount: row.page_count,
    sha256: row.archive_sha256,
    sizeBytes: row.archive_size_bytes,
    report,
    asked,
    delays,
  }
}
