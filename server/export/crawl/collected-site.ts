import type { ProductRemoval } from '../../products/product-removal.ts'
import type { Exclusions } from '../model/exclusions.ts'
import type { FileOutcome, Outcomes, PageOutcome, Resource } from '../model/resource.ts'
import type { Site } from '../model/site.ts'

/** A crawled site, as the stages after the crawl read it. */
export interface CollectedSite extends Outcomes {
  site: Site
  /** The page that the bundle opens with. */
  start: URL
  /** Pages that show other pages for other fragments, as they were fetched, with their scripts; by linkKey. */
  apps: ReadonlyMap<string, Resource>
  /** Keys of files of other hosts that scripts load by themselves: no address in a page leads to them. */
  scripted: ReadonlySet<string>
  /** Keys of files of other hosts that were requested on a guess. A missing one is not reported. */
  guesses: ReadonlySet<string>
  exclusions: Exclusions
  products: ProductRemoval
}

/** A site while the crawl fills it. */
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
