import type { Validators } from '../../web/fetch/answer.ts'
import type { ExportReport } from './report.ts'

/** A stored body, identified by its content. */
export interface KeptBody {
  sha256: string
  sizeBytes: number
}

/** The answer to a request, after all redirects. */
export interface CachedAnswer {
  /** The requested URL, without fragment. */
  asked: string
  accept: string
  status: number
  /** URL after redirects. */
  url: string
  redirected: boolean
  contentType: string
  /** The headers that `lastingHeaders` returns. */
  headers: Record<string, string>
  validators: Validators
  /** The decompressed body; null = never read. */
  body: KeptBody | null
  /** The last export that saw the answer. That export does not repeat the request. */
  run: string
}

/** The result of a page shown in a browser, with all answers that the page got. */
export interface CachedView {
  key: string
  /** Each request of the page, as JSON, with the digest of its answer. */
  given: [request: string, digest: string][]
  /** The result as JSON. */
  body: KeptBody
  run: string
}

/** A finished export, with all of its requests. */
export interface FinishedExport {
  /** Digest of everything that decides the archive, except the answers of the site. */
  key: string
  run: string
  pageCount: number
  sizeBytes: number
  sha256: string
  report: ExportReport
  asked: AskedAnswer[]
  /** The crawl delays of robots.txt, by host. */
  delays: [host: string, delayMs: number][]
}

/** A request, with a digest of its answer. */
export interface AskedAnswer {
  /** The requested URL, without fragment. */
  asked: string
  accept: string
  digest: string
}

/** Where the caches of all sites are, and their rules. */
export interface CacheSettings {
  folder: string
  /** Max bytes of the bodies of one site. At the limit, no more bodies are stored. */
  maxBytes: number
  /** Archives are hard-linked instead of copied, so they must not be written. */
  sharesArchives: boolean
}

/**
 * Cache of one site, filled by its last exports. The next export fetches only changed files. The cache is best-effort: no
 * method throws, and after a failure the cache acts as if it were empty.
 */
export interface SiteCache {
  findAnswer(asked: string, accept: string): CachedAnswer | undefined
  /** Replaces the stored answer to the request. The answer's body must be stored first. */
  putAnswer(answer: CachedAnswer): void

  /** Stores a body; returns false when there is no room. */
  keepBody(bytes: Buffer, body: KeptBody): Promise<boolean>
  keepFile(file: string, body: KeptBody): Promise<boolean>
  /** Returns null when the body is missing or damaged. */
  readBody(body: KeptBody): Promise<Buffer | null>
  /** Writes the body to a file; returns false when the body is missing or damaged. */
  copyBody(body: KeptBody, file: string): Promise<boolean>

  findView(key: string): CachedView | undefined
  putView(view: CachedView): void

  findFinished(key: string): Promise<FinishedExport | undefined>
  /** Writes the archive of a finished export to a file; returns false when the archive is missing or damaged. */
  copyArchive(finished: Pick<FinishedExport, 'sha256' | 'sizeBytes'>, file: string): Promise<boolean>
  /** Records that this run found the site unchanged since a finished export. */
  renew(key: string, run: string): void
  /** Stores an archive, keeps the entries used by the runs of stored archives, and deletes all others. */
  finish(finished: FinishedExport, archive: string): Promise<void>

  /** Writes pending answers and unlocks the cache for other exports. */
  close(): Promise<void>
}

export interface SiteCaches {
  /**
   * Opens the cache of a site for one export. Returns null while another export uses the cache; the second export then runs
   * without a cache.
   *
   * @throws {Error} of the file system when the folder cannot be used.
   */
  open(domain: string): Promise<SiteCache | null>
  /** Deletes the cache of a site. */
  forget(domain: string): Promise<void>
}
