import type { StartThread } from '../../base/start-thread.ts'
import type { Deployment, Features } from '../../products/features.ts'
import type { RemovalRules } from '../../tenancy/removal-rules.ts'
import type { SiteHeaders } from '../../web/fetch/site-headers.ts'
import type { ExportLimits } from './limits.ts'
import type { ExportReport } from './report.ts'
import type { SiteCache } from './site-cache.ts'

export interface ExportProgress {
  stage: 'compare' | 'discover' | 'fetch' | 'render' | 'archive'
  /** Pages visited, including those that turned out to be missing. */
  pagesDone: number
  pagesKnown: number
  /** Finished pages of the bundle. */
  pageCount: number
}

export interface ExportOptions {
  /** Links to http(s)://domain are links of the site. */
  domain: string
  /** Where the site is fetched from; its path is the scope: an export of /docs/ stays below /docs/. */
  origin: URL
  /** Whether the operator set this origin. If so, its host and port may be private or loopback; no other address may. */
  originAllowed: boolean
  /** Other origins that the operator allowed pages to load files from. */
  alsoAllowed?: readonly URL[]
  /** Headers for a site behind a login; sent only to the origin, never stored. */
  siteHeaders?: SiteHeaders
  /** Only these pages; null = the whole site. */
  paths: readonly string[] | null
  deployment: Deployment
  features: Features
  /** The site's own rules: products beyond the recognised ones, and pages to leave out. */
  removal?: RemovalRules | null
  version: string | null
  format: BundleFormat
  /** Written as outFile + '.part' and renamed when complete. */
  outFile: string
  /** For temporary files; emptied first, removed at the end. */
  workFolder: string
  limits: ExportLimits
  onProgress(progress: ExportProgress): void
  signal: AbortSignal
  /** Starts the threads that read and index pages. */
  startThread: StartThread
  log?(details: object, message: string): void
  /** Whether robots.txt is obeyed; by default yes, except for an origin that the operator set, because that site is theirs. */
  obeyRobots?: boolean
  /**
   * How much of the bundle a browser opens: nothing, a fixed sample (the default), or every page with scripts. With `static`, a
   * browser only renders pages whose HTML is empty without their scripts.
   */
  verify?: Verify
  /** What earlier exports saw; null or absent = everything is fetched again. */
  reuse?: ExportReuse | null
  /** Whether a search that needs no server is packed. */
  offlineSearch?: boolean
  /** Whether nothing else needs the calling thread. */
  isAlone?: boolean
}

/** The archive of an export, made now or reused. */
export interface FinishedResult {
  pageCount: number
  sizeBytes: number
  sha256: string
  report: ExportReport
}

export interface ExportResult extends FinishedResult {
  /** Duration of each stage. */
  stageSeconds: Record<string, number>
}

/** The cache of a site, and what identifies its entries. */
export interface ExportReuse {
  cache: SiteCache
  /** Identifies this export; an export that continues after a kill keeps its name. */
  run: string
  /** Identifies the program that makes the bundles: results of another program are not reused. */
  engine: string
}

export type BundleFormat = 'zip' | 'tar.gz'

/** How much a browser checks: nothing, a fixed sample, or every page. */
export type Verify = 'static' | 'sample' | 'full'
