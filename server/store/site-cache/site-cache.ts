import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { digest } from '../../base/digest.ts'
import { makeFolder } from '../../base/make-folder.ts'
import type { CachedAnswer, CachedView, FinishedExport, KeptBody, SiteCache } from '../../export/model/site-cache.ts'
import { privateFolder } from '../private-files.ts'
import type { FinishedDetails } from './finished-rows.ts'
import { type KeptBodies, openKeptBodies } from './kept-bodies.ts'
import { isUseless, openSiteCacheDatabase } from './site-cache-database.ts'
import { openSiteCacheTables, type SiteCacheTables } from './site-cache-tables.ts'

export interface SiteCacheOptions {
  folder: string
  /** Max bytes of all bodies together. At the limit, no more bodies are stored. */
  maxBytes: number
  /** Archives are hard-linked instead of copied, so they must not be written. */
  sharesArchives: boolean
  /** Called once, if the cache fails. */
  warn(details: { err: unknown }, message: string): void
}

const flushMs = 250
const maxPending = 200

/**
 * Opens the cache of one site: an SQLite file with bodies beside it. Replaces a damaged cache, or a cache of another
 * version, with an empty one. Returns null while another process has it open; the lock ends with that process.
 *
 * @throws {Error} from the file system if the folder cannot be used.
 */
export function openSiteCache(options: SiteCacheOptions): SiteCache | null {
  const { folder } = options
  for (let attempt = 0; ; attempt += 1) {
    makeFolder(folder, privateFolder)
    makeFolder(join(folder, 'bodies'), privateFolder)
    let database: Database | undefined
    try {
      database = openSiteCacheDatabase(join(folder, 'memory.db'))
      return new SqliteSiteCache(database, options)
    } catch (error) {
      database?.close()
      const code = String((error as { code?: unknown }).code ?? '')
      if (code.startsWith('SQLITE_BUSY')) return null
      if (attempt > 0 || !isUseless(error)) throw error
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

class SqliteSiteCache implements SiteCache {
  readonly #database: Database
  readonly #options: SiteCacheOptions
  readonly #tables: SiteCacheTables
  readonly #bodies: KeptBodies
  readonly #budget: BodyBudget
  /** Answers and views that are not in the database yet, by request and by key. */
  readonly #answers = new Map<string, CachedAnswer>()
  readonly #views = new Map<string, CachedView>()
  #timer: NodeJS.Timeout | undefined
  /** The first failure. After it, the cache behaves as if it were empty. */
  #failure: unknown

  constructor(database: Database, options: SiteCacheOptions) {
    const bodiesFolder = join(options.folder, 'bodies')
    this.#database = database
    this.#options = options
    this.#tables = openSiteCacheTables(database)
    this.#budget = new BodyBudget(options.maxBytes, this.#tables.listBodies())
    this.#bodies = openKeptBodies(bodiesFolder, new Set(readdirSync(bodiesFolder)))
  }

  findAnswer(asked: string, accept: string): CachedAnswer | undefined {
    const pending = this.#answers.get(`${accept} ${asked}`)
    return pending ?? this.#attempt(() => this.#tables.findAnswer(asked, accept), undefined)
  }

  putAnswer(answer: CachedAnswer): void {
    if (this.#failure !== undefined) return
    this.#answers.set(`${answer.accept} ${answer.asked}`, answer)
    this.#flushSoon()
  }

  keepBody(bytes: Buffer, body: KeptBody): Promise<boolean> {
    return this.#keep(body, () => this.#bodies.write(bytes, body))
  }

  keepFile(file: string, body: KeptBody): Promise<boolean> {
    return this.#keep(body, () => this.#bodies.take(file, body))
  }

  readBody(body: KeptBody): Promise<Buffer | null> {
    return this.#attemptAsync(() => this.#bodies.read(body), null)
  }

  copyBody(body: KeptBody, file: string): Promise<boolean> {
    return this.#attemptAsync(() => this.#bodies.copy(body, file), false)
  }

  findView(key: string): CachedView | undefined {
    return this.#views.get(key) ?? this.#attempt(() => this.#tables.findView(key), undefined)
  }

  putView(view: CachedView): void {
    if (this.#failure !== undefined) return
    this.#views.set(view.key, view)
    this.#flushSoon()
  }

  findFinished(key: string): Promise<FinishedExport | undefined> {
    return this.#attemptAsync(async () => {
      const found = this.#tables.findFinished(key)
      const details = found && (await this.#bodies.read(found.details))
      return found && details
        ? { ...found.finished, ...(JSON.parse(details.toString()) as FinishedDetails) }
        : undefined
    }, undefined)
  }

  copyArchive(body: KeptBody, file: string): Promise<boolean> {
    return this.#attemptAsync(() => this.#bodies.copy(body, file, this.#options.sharesArchives), false)
  }

  renew(key: string, run: string): void {
    this.#flush()
    this.#attempt(() => this.#tables.renew(key, run), undefined)
  }

  finish(finished: FinishedExport, archive: string): Promise<void> {
    return this.#attemptAsync(async () => {
      this.#flush()
      const { report, asked, delays, ...entry } = finished
      const store = async () => {
        const details = await this.#writeJson({ report, asked, delays })
        if (!details || !this.#claim(finished)) return false
        await this.#bodies.take(archive, finished, this.#options.sharesArchives)
        this.#tables.finish(entry, details)
        return true
      }
      if (!(await store())) {
        // The cache is full. The newest export is worth more than older ones.
        this.#tables.keepOnlyRun(entry.run)
        await this.#sweep()
        await store()
      }
      await this.#sweep()
    }, undefined)
  }

  async close(): Promise<void> {
    this.#flush()
    try {
      this.#database.close()
    } catch (error) {
      this.#failure ??= error
    }
    if (this.#failure !== undefined && isUseless(this.#failure))
      rmSync(this.#options.folder, { recursive: true, force: true })
  }

  #keep(body: KeptBody, write: () => Promise<void>): Promise<boolean> {
    return this.#attemptAsync(async () => {
      if (!this.#claim(body)) return false
      await write()
      return true
    }, false)
  }

  /** Returns true if there is room for a body, and counts the body as stored. */
  #claim(body: KeptBody): boolean {
    return this.#failure === undefined && this.#budget.claim(body)
  }

  async #writeJson(value: unknown): Promise<KeptBody | null> {
    const bytes = Buffer.from(JSON.stringify(value))
    const body = { sha256: digest(bytes), sizeBytes: bytes.length }
    if (!this.#claim(body)) return null
    await this.#bodies.write(bytes, body)
    return body
  }

  /** Removes the bodies that no row refers to. */
  async #sweep(): Promise<void> {
    this.#budget.reset(this.#tables.listBodies())
    await this.#bodies.keepOnly(this.#budget.hashes())
  }

  #flushSoon(): void {
    if (this.#answers.size + this.#views.size >= maxPending) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), flushMs)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#answers.size + this.#views.size === 0) return
    this.#attempt(() => this.#tables.put(this.#answers.values(), this.#views.values()), undefined)
    this.#answers.clear()
    this.#views.clear()
  }

  /** Runs the work unless an earlier failure occurred. Returns `otherwise` if the work fails or does not run. */
  #attempt<T>(work: () => T, otherwise: T): T {
    if (this.#failure !== undefined) return otherwise
    try {
      return work()
    } catch (error) {
      this.#giveUp(error)
      return otherwise
    }
  }

  async #attemptAsync<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    if (this.#failure !== undefined) return otherwise
    try {
      return await work()
    } catch (error) {
      this.#giveUp(error)
      return otherwise
    }
  }

  #giveUp(error: unknown): void {
    // Several calls can fail at the same time.
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#answers.clear()
    this.#views.clear()
    this.#options.warn({ err: error }, 'the cache of the site cannot be used; the export continues without it')
  }
}

/** Counts the bytes of stored bodies up to a limit. */
class BodyBudget {
  readonly #maxBytes: number
  #sizes: Map<string, number>
  #totalBytes: number

  /** @param sizes bytes of each stored body by hash. */
  constructor(maxBytes: number, sizes: Iterable<readonly [string, number]>) {
    this.#maxBytes = maxBytes
    this.#sizes = new Map(sizes)
    this.#totalBytes = sum(this.#sizes.values())
  }

  /** Counts a body as stored. Returns false if there is no room for it. */
  claim({ sha256, sizeBytes }: KeptBody): boolean {
    if (this.#sizes.has(sha256)) return true
    if (this.#totalBytes + sizeBytes > this.#maxBytes) return false
    this.#sizes.set(sha256, sizeBytes)
    this.#totalBytes += sizeBytes
    return true
  }

  /** Replaces the counted bodies with these. */
  reset(sizes: Iterable<readonly [string, number]>): void {
    this.#sizes = new Map(sizes)
    this.#totalBytes = sum(this.#sizes.values())
  }

  hashes(): ReadonlySet<string> {
    return new Set(this.#sizes.keys())
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}
