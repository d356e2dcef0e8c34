import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { digest } from '../../base/digest.ts'
import type { KeptBody, RememberedAnswer, RememberedView, SiteCache } from '../../export/model/site-cache.ts'
import { makeFolder } from '../make-folder.ts'
import { openKeptBodies } from './kept-bodies.ts'
import { isUseless, openSiteCacheDatabase } from './site-cache-database.ts'
import { type FinishedDetails, openSiteCacheTables } from './site-cache-tables.ts'

export interface SiteCacheOptions {
  folder: string
  /** Past it nothing more is kept. */
  maxBytes: number
  /** Archives are linked instead of copied: whoever has them never writes into them. */
  sharesArchives: boolean
  /** Hears why nothing is remembered any more. */
  warn(details: { err: unknown }, message: string): void
}

const flushMs = 250
const maxPending = 200

/**
 * Opens what is remembered of one site: an SQLite file of its own, and bodies beside it. Nothing in it is worth a complaint:
 * damaged, or of another version, it begins anew. Null while somebody else has it open; the lock ends with the process.
 *
 * @throws {Error} of the file system when the folder cannot be used.
 */
export function openSiteCache(options: SiteCacheOptions): SiteCache | null {
  const { folder } = options
  for (let attempt = 0; ; attempt += 1) {
    makeFolder(join(folder, 'bodies'))
    let database: Database | undefined
    try {
      database = openSiteCacheDatabase(join(folder, 'memory.db'))
      return createSiteCache(database, options)
    } catch (error) {
      database?.close()
      const code = String((error as { code?: unknown }).code ?? '')
      if (code.startsWith('SQLITE_BUSY')) return null
      if (attempt > 0 || !isUseless(error)) throw error
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function createSiteCache(database: Database, options: SiteCacheOptions): SiteCache {
  const { folder, maxBytes, sharesArchives } = options
  const tables = openSiteCacheTables(database)
  const bodiesFolder = join(folder, 'bodies')
  const sizes = new Map(tables.listBodies())
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

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (answers.size + views.size === 0) return
    attempt(() => tables.put(answers.values(), views.values()), undefined)
    answers.clear()
    views.clear()
  }

  function flushSoon(): void {
    if (answers.size + views.size >= maxPending) flush()
    else timer ??= setTimeout(flush, flushMs)
  }

  /** Whether there is room for a body; it counts as kept from then on. */
  function claim({ sha256, sizeBytes }: KeptBody): boolean {
    if (failure !== undefined) return false
    if (sizes.has(sha256)) return true
    if (keptBytes + sizeBytes > maxBytes) return false
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

  async function sweep(): Promise<void> {
    sizes.clear()
    for (const [sha256, sizeBytes] of tables.listBodies()) sizes.set(sha256, sizeBytes)
    keptBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    await bodies.keepOnly(new Set(sizes.keys()))
  }

  return {
    findAnswer: (asked, accept) =>
      answers.get(`${accept} ${asked}`) ?? attempt(() => tables.findAnswer(asked, accept), undefined),
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
    findView: key => views.get(key) ?? attempt(() => tables.findView(key), undefined),
    putView(view) {
      if (failure !== undefined) return
      views.set(view.key, view)
      flushSoon()
    },
    findFinished: key =>
      attemptAsync(async () => {
        const found = tables.findFinished(key)
        const details = found && (await bodies.read(found.details))
        return found && details
          ? { ...found.finished, ...(JSON.parse(details.toString()) as FinishedDetails) }
          : undefined
      }, undefined),
    copyArchive: (body, file) => attemptAsync(() => bodies.copy(body, file, sharesArchives), false),
    renew(key, run) {
      flush()
      attempt(() => tables.renew(key, run), undefined)
    },
    finish: (finished, archive) =>
      attemptAsync(async () => {
        flush()
        const { report, asked, delays, ...rest } = finished
        const details = await writeJson({ report, asked, delays })
        if (!details || !claim(finished)) return sweep()
        await bodies.take(archive, finished, sharesArchives)
        tables.finish(rest, details)
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
