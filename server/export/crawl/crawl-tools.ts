import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Queue } from '../../base/queue.ts'
import type { ProductRemoval } from '../../products/product-removal.ts'
import type { BrowserTabs } from '../../web/browser/browser-tabs.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import type { ViewCache } from '../cache/view-cache.ts'
import type { Exclusions } from '../model/exclusions.ts'
import { type ExportLimits, totalExceeded } from '../model/limits.ts'
import type { Site } from '../model/site.ts'
import type { PagePool } from '../pages/page-pool.ts'

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
  /** The tabs of the export's browser; null when no browser is installed. */
  tabs: BrowserTabs | null
  /** Ends the whole export. */
  abort(error: unknown): void
}

/** Returns the path of the file in the work folder that contains the bytes of a resource. */
export function workFile({ folder }: Pick<CrawlTools, 'folder'>, key: string): string {
  return join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32))
}

/** @throws {ExportError} when the fetched bytes exceed the limit of one export. */
export function checkTotal({ fetcher, limits }: Pick<CrawlTools, 'fetcher' | 'limits'>): void {
  if (fetcher.totalBytes > limits.totalBytes) throw totalExceeded(limits)
}
