import type { StartThread } from '../../base/start-thread.ts'
import type { Deployment, Features } from '../../products/features.ts'
import type { RemovalRules } from '../../tenancy/removal-rules.ts'
import type { SiteHeaders } from '../../web/fetch/site-headers.ts'
import type { RecordedLogin } from '../../web/login/recorded-login.ts'
import type { ExportLimits } from './limits.ts'
import type { ExportReport } from './report.ts'
import type { CacheSettings, SiteCache } from './site-cache.ts'

export interface ExportProgress {
  /** In order, but for `archive` and `check`, which may be repeated. `look` opens pages of the site in the browser. */
  stage: 'compare' | 'discover' | 'fetch' | 'render' | 'look' | 'archive' | 'check'
  /** Visited pages, including missing ones. In `look` and `check`: how often a page was opened, in both together. */
  pagesDone: number
  /** 0 = not known. In `look` and `check`: how often pages will probably be opened. */
  pagesKnown: number
  /** Finished pages of the bundle. */
  pageCount: number
}

/** What is exported, and how: plain data apart from the URLs, so that another process can do the work. */
export interface ExportSettings {
  /** Domain of the site. Links to http(s)://domain are links of the site. */
  domain: string
  /** Address from which the site is fetched. Its path is the scope: an export of /docs/ stays below /docs/. */
  origin: URL
  /** Whether the operator set this origin. If so, its host and port may be private or loopback. No other address may be. */
  originAllowed: boolean
  /** Other origins from which the operator lets pages load files. They may be private or loopback. */
  alsoAllowed?: readonly URL[]
  /** Headers for a site behind a login. They are sent only to the origin and never stored. */
  siteHeaders?: SiteHeaders
  /** The recorded login of the site; null or absent = none. What it contains is sent only to the site and never stored. */
  login?: RecordedLogin | null
  /** Exports only these pages; null = the whole site. */
  paths: readonly string[] | null
  deployment: Deployment
  features: Features
  /** Rules of the site: further products to remove, and pages to leave out. */
  removal?: RemovalRules | null
  version: string | null
  /** Date of the line at the end of each page, such as 2026-11-27; null or absent = no line. */
  stamp?: string | null
  format: BundleFormat
  /** Written as outFile + '.part' and renamed when complete. */
  outFile: string
  /** Folder for temporary files. It is emptied first and removed at the end. */
  workFolder: string
  limits: ExportLimits
  /**
   * Whether the export obeys robots.txt. The default is true, but false for an origin that the operator set, because the
   * operator owns that site.
   */
  obeyRobots?: boolean
  /**
   * How much of the bundle a browser opens: nothing, a fixed sample (the default), or every page with scripts. With
   * `static`, a browser only renders pages whose HTML is empty without scripts.
   */
  verify?: Verify
  /** Whether to make a bundle although something is lost that a reader expects. It is reported in any case. */
  allowLoss?: boolean
  /** Whether the browser may run without its sandbox where it cannot run with it: as root, or without user namespaces. */
  allowNoSandbox?: boolean
  /** Whether to pack a search that needs no server. */
  offlineSearch?: boolean
  /** Whether each page also gets a file with its content as Markdown, and the bundle lists of these files. */
  markdown?: boolean
}

/** How an export tells what it does, and learns what goes on around it. */
export interface ExportCalls {
  onProgress(progress: ExportProgress): void
  signal: AbortSignal
  log?(details: object, message: string): void
  /** Tells what makes the export slower or less than it could be. */
  warn?(details: object, message: string): void
  /** Returns how many exports run at the same time; absent = only this one. */
  crowd?(): Crowd
}

/** The exports that run on this machine at the same time, this one included. They share the limits of one. */
export interface Crowd {
  exports: number
  /** Those that fetch their sites from the same host. */
  onHost: number
}

export interface ExportOptions extends ExportSettings, ExportCalls {
  /** Starts the threads that read and index pages. */
  startThread: StartThread
  /** The version of Quire, for the manifest of the bundle. */
  quireVersion?: string
  /** Cached results of earlier exports; null or absent = everything is fetched again. */
  reuse?: ExportReuse | null
}

/** An export that a process of its own does. */
export interface ExportTask extends ExportSettings {
  /** The cache of the site, which that process opens; null = everything is fetched again. */
  reuse: (Omit<ExportReuse, 'cache'> & { cache: CacheSettings }) | null
}

/** @throws {ExportError} when no bundle can be made, or the process exceeds a limit. */
export type RunExport = (task: ExportTask, calls: ExportCalls) => Promise<ExportResult>

/** Returns whether an export obeys the robots.txt of its site. It need not for a site of the operator. */
export function obeysRobots({
  obeyRobots,
  originAllowed,
}: Pick<ExportOptions, 'obeyRobots' | 'originAllowed'>): boolean {
  return obeyRobots ?? !originAllowed
}

/** The archive of an export, new or reused. */
export interface FinishedResult {
  pageCount: number
  sizeBytes: number
  sha256: string
  report: ExportReport
}

export interface ExportResult extends FinishedResult {
  /** Duration of each stage. */
  stageSeconds: Record<string, number>
  /** Why the installed browser was not used, and what the operator must do; null = it was used, or there is none. */
  browserProblem: string | null
}

/** The cache of a site, and the identifiers of its entries. */
export interface ExportReuse {
  cache: SiteCache
  /** Identifies this export. An export that resumes after a kill keeps this id. */
  run: string
  /** Identifies the program that makes the bundles. Results of another program are not reused. */
  engine: string
}

export type BundleFormat = 'zip' | 'tar.gz'

/** How much a browser checks: nothing, a fixed sample, or every page. */
export type Verify = 'static' | 'sample' | 'full'
