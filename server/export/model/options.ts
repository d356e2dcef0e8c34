import type { StartThread } from '../../base/start-thread.ts'
import type { RemovalRules } from '../../tenancy/removal-rules.ts'
import type { SiteHeaders } from '../../web/fetch/site-headers.ts'
import type { Deployment, Features } from './features.ts'
import type { ExportLimits } from './limits.ts'
import type { ExportReport } from './report.ts'
import type { SiteCache } from './site-cache.ts'

export interface ExportProgress {
  stage: 'compare' | 'discover' | 'fetch' | 'render' | 'archive'
  /** Looked at, also those that turned out to lead nowhere. */
  pagesDone: number
  pagesKnown: number
  /** Pages of the bundle that are done so far. */
  pageCount: number
}

export interface ExportOptions {
  /** Links to http(s)://domain are links of the site. */
  domain: string
  /** Where it is fetched from; its path is the scope: a site under /docs/ stays there. */
  origin: URL
  /** The operator set this origin: its host and port may be private or loopback, nothing else may. */
  originAllowed: boolean
  /** Further origins that the operator allowed, for files that pages load from them. */
  alsoAllowed?: readonly URL[]
  /** What lets the export in; sent to the origin, and to nobody else. Not kept. */
  siteHeaders?: SiteHeaders
  /** Only these pages; null = the whole site. */
  paths: readonly string[] | null
  deployment: Deployment
  features: Features
  /** What the site's settings add to the products that are recognised, and which pages they leave out. */
  removal?: RemovalRules | null
  version: string | null
  format: BundleFormat
  /** Written as outFile + '.part' and renamed when complete. */
  outFile: string
  /** Scratch; emptied first, removed at the end. */
  workFolder: string
  limits: ExportLimits
  onProgress(progress: ExportProgress): void
  signal: AbortSignal
  /** Starts the threads that read pages and index them. */
  startThread: StartThread
  log?(details: object, message: string): void
  /** Whether robots.txt is obeyed; by default it is, unless the operator set the origin: that site is his own. */
  obeyRobots?: boolean
  /**
   * How much of the bundle a browser opens: none of it, a fixed sample (the default), or every page with scripts. With
   * `static` a browser only builds the pages whose HTML is empty without their scripts.
   */
  verify?: Verify
  /** What exports before this one saw; null or absent: everything is fetched and made anew. */
  reuse?: ExportReuse | null
  /** Packs a search that needs no server. */
  offlineSearch?: boolean
  /** Nothing but this export needs the thread that it was called in. */
  isAlone?: boolean
}

/** What an export made, whenever it was made. */
export interface FinishedResult {
  pageCount: number
  sizeBytes: number
  sha256: string
  report: ExportReport
}

export interface ExportResult extends FinishedResult {
  /** What each stage took. */
  stageSeconds: Record<string, number>
}

/** Where an export may take from what exports before it saw. */
export interface ExportReuse {
  memory: SiteCache
  /** Names this export; one that was cut off has the same name when it goes on. */
  run: string
  /** Names the program that makes the bundles: what another one made is made anew. */
  engine: string
}
export type BundleFormat = 'zip' | 'tar.gz'

/** How much a browser checks: nothing, a fixed sample, or every page. */
export type Verify = 'static' | 'sample' | 'full'
