import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Queue } from '../../base/queue.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import type { ModuleNames } from '../../web/javascript/import-map.ts'
import type { ViewCache } from '../cache/view-cache.ts'
import type { Exclusions } from '../model/exclusions.ts'
import { type ExportLimits, totalExceeded } from '../model/limits.ts'
import type { ExportReport } from '../model/report.ts'
import type { FileOutcome, PageOutcome, Resource } from '../model/resource.ts'
import type { Site } from '../model/site.ts'
import type { PagePool } from '../pages/page-pool.ts'
import type { ProductRemoval } from '../products/product-removal.ts'
import type { JoinedNames } from './joined-names.ts'

export interface CrawlState {
  site: Site
  fetcher: Fetcher
  limits: ExportLimits
  queue: Queue
  /** Where pages are read and rewritten. */
  pool: PagePool
  pages: Map<string, PageOutcome>
  files: Map<string, FileOutcome>
  /** Paths, by linkKey, whose pages only their query tells apart. */
  queried: Set<string>
  /** Pages, by linkKey, that show another page for another fragment, as they were fetched: with their scripts. */
  apps: Map<string, Resource>
  /** Keys whose request is under way or about to be. */
  pendingPages: Set<string>
  pendingFiles: Map<string, Promise<void>>
  /** Work that goes on beside the queue and adds to it. */
  background: Set<Promise<void>>
  /** Keys of files of other hosts that scripts ask for by themselves: no address of a page leads to them. */
  scripted: Set<string>
  /** Keys of files of other hosts that were asked for by guess: what is not there was never missed. */
  guesses: Set<string>
  /** Bare names of modules, and the import maps that say what they are. */
  moduleNames: ModuleNames
  /** Names of the site's files that its scripts put together. */
  joinedNames: JoinedNames
  /** Folder for what was fetched. */
  folder: string
  isAllowed(url: URL): boolean
  /** Whether an asset may be packed at all; a reason when not. */
  refuseFile(url: URL): string | null
  exclusions: Exclusions
  /** What becomes of the products of others on the site's pages. */
  products: ProductRemoval
  /** What browsers saw in exports before this one. */
  views: ViewCache
  /** Ends the whole export. */
  abort(error: unknown): void
}

/** Where the bytes of a resource wait. */
export function workFile(state: CrawlState, key: string): string {
  return join(state.folder, createHash('sha256').update(key).digest('hex').slice(0, 32))
}

/** @throws {ExportError} when everything fetched so far is more than an export may hold. */
export function checkTotal({ fetcher, limits }: CrawlState): void {
  if (fetcher.totalBytes > limits.totalBytes) throw totalExceeded(limits)
}

export interface CollectedSite {
  state: CrawlState
  /** The page that the bundle opens with. */
  start: URL
  report: ExportReport
}
