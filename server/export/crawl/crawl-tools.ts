import type { Queue } from '../../base/queue.ts'
import type { ProductRemoval } from '../../products/product-removal.ts'
import type { BrowserTabs } from '../../web/browser/browser-tabs.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import type { ViewCache } from '../cache/view-cache.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { FileOutcome, Outcomes, PageOutcome, Resource } from '../model/resource.ts'
import type { Exclusions, Site } from '../model/site.ts'
import type { PagePool } from '../pages/page-pool.ts'
import type { LoginWatch } from './login-watch.ts'

/** The services and settings of one crawl. They do not change during the crawl. */
export interface CrawlTools {
  site: Site
  fetcher: Fetcher
  limits: ExportLimits
  /** Runs the requests for pages and files. */
  queue: Queue
  /** Reads and rewrites pages. */
  pool: PagePool
  /** Page views cached by earlier exports. */
  views: ViewCache
  /** Folder for fetched files. */
  folder: string
  /** Returns whether robots.txt allows a URL of the site. */
  isAllowed(url: URL): boolean
  exclusions: Exclusions
  products: ProductRemoval
  loginWatch: LoginWatch
  /** The tabs of the export's browser; null when no browser is installed, or when it cannot be started. */
  tabs: BrowserTabs | null
  /** Why the installed browser cannot be started; null if it can, and when none is installed. */
  browserProblem: string | null
  /** Ends the whole export. */
  abort(error: unknown): void
}

/** A crawled site, as input of the stages after the crawl. */
export interface CollectedSite extends Outcomes {
  site: Site
  /** The start page of the bundle. */
  start: URL
  /** Fetched pages, with their scripts, that show different pages for different fragments; by linkKey. */
  apps: ReadonlyMap<string, Resource>
  /** Keys of files of other hosts that scripts load. Pages need not contain the addresses of these files. */
  scripted: ReadonlySet<string>
  /** Keys of files of other hosts that were requested on a guess. Missing ones are not reported. */
  guesses: ReadonlySet<string>
  exclusions: Exclusions
  products: ProductRemoval
}

/** A site during the crawl. */
export interface MutableSite extends CollectedSite {
  pages: Map<string, PageOutcome>
  files: Map<string, FileOutcome>
  apps: Map<string, Resource>
  scripted: Set<string>
  guesses: Set<string>
  /** Paths, by linkKey, where every query is a separate page. */
  queried: Set<string>
}

export function createMutableSite(
  known: Pick<CollectedSite, 'site' | 'start' | 'exclusions' | 'products'>,
): MutableSite {
  return {
    ...known,
    pages: new Map(),
    files: new Map(),
    apps: new Map(),
    scripted: new Set(),
    guesses: new Set(),
    queried: new Set(),
  }
}
