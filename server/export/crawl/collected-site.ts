import type { ProductRemoval } from '../../products/product-removal.ts'
import type { Exclusions } from '../model/exclusions.ts'
import type { FileOutcome, Outcomes, PageOutcome, Resource } from '../model/resource.ts'
import type { Site } from '../model/site.ts'

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
