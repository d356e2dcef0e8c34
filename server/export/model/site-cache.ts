import type { Validators } from '../../web/fetch/validators.ts'
import type { ExportReport } from './report.ts'

/** Bytes that are kept, by what is in them. */
export interface KeptBody {
  sha256: string
  sizeBytes: number
}

/** What came of a request, all of its redirects included. */
export interface RememberedAnswer {
  /** What was asked for, without fragment. */
  asked: string
  accept: string
  status: number
  /** After redirects. */
  url: string
  redirected: boolean
  contentType: string
  /** Those of `lastingHeaders`. */
  headers: Record<string, string>
  validators: Validators
  /** Decompressed; null when nobody read it. */
  body: KeptBody | null
  /** The export that saw it last: what this very export saw is not asked for again. */
  run: string
}

/** What a browser made of a page, and everything that the page was given for it. */
export interface RememberedView {
  key: string
  /** Each request of the page as JSON, with the digest of its answer. */
  given: [request: string, digest: string][]
  /** JSON. */
  body: KeptBody
  run: string
}

/** An archive that was made before, and everything that was asked for to make it. */
export interface FinishedExport {
  /** Digest of all that decides what an export of this site becomes, the site's own answers excepted. */
  key: string
  run: string
  pageCount: number
  sizeBytes: number
  sha256: string
  report: ExportReport
  asked: AskedAnswer[]
  /** What robots.txt asked for: by host, the time between two requests. */
  delays: [host: string, delayMs: number][]
}

export interface AskedAnswer {
  asked: string
  accept: string
  digest: string
}

/**
 * What the last exports saw of one site, so that the next one need not begin anew. It is a help and never a condition: no
 * method throws, and a memory that fails is an empty one from then on.
 */
export interface SiteCache {
  findAnswer(asked: string, accept: string): RememberedAnswer | undefined
  /** Replaces what was remembered of the request. Its body has to be kept before. */
  putAnswer(answer: RememberedAnswer): void

  /** False when there is no room. */
  keepBody(bytes: Buffer, body: KeptBody): Promise<boolean>
  keepFile(file: string, body: KeptBody): Promise<boolean>
  /** Null when it is not there or damaged. */
  readBody(body: KeptBody): Promise<Buffer | null>
  /** Writes it to a file; false when it is not there or damaged. */
  copyBody(body: KeptBody, file: string): Promise<boolean>

  findView(key: string): RememberedView | undefined
  putView(view: RememberedView): void

  findFinished(key: string): Promise<FinishedExport | undefined>
  /** Puts the archive of a finished export in a file; false when it is not there or damaged. */
  copyArchive(finished: Pick<FinishedExport, 'sha256' | 'sizeBytes'>, file: string): Promise<boolean>
  /** Notes that a finished export is still what its site gives, as this run saw. */
  renew(key: string, run: string): void
  /** Keeps an archive, and forgets what neither its run nor those of the other archives saw. */
  finish(finished: FinishedExport, archive: string): Promise<void>

  /** Writes what is not written yet and lets others use the memory. */
  close(): Promise<void>
}

export interface SiteCaches {
  /**
   * Opens what is remembered of a site, for one export alone. Null while another export uses it: that one goes on
   * undisturbed, and this one does without.
   *
   * @throws {Error} of the file system when the folder cannot be used.
   */
  open(domain: string): Promise<SiteCache | null>
  forget(domain: string): Promise<void>
  /** Forgets all sites but these. */
  keepOnly(domains: readonly string[]): Promise<void>
}
