import { openBundleSearch, type SearchedBundle } from './compare-search.ts'
import type { ScriptPlacer } from './place-scripts.ts'
import type { BundleSearch } from './search-ahead.ts'
import { type OriginSearchOptions, readSearchWords, searchAtOrigin, showsSearch } from './search-at-origin.ts'
import { fetchSearchFiles, type SearchPartsOptions } from './search-parts.ts'

/** The search of a site, in the bundle and at the origin. */
export interface SiteSearch {
  /** Addresses of the data that the search fetched at the origin. */
  fetched: readonly string[]
  /** Returns the search of a written bundle. */
  open(bundle: SearchedBundle): BundleSearch
}

/**
 * Shows the sampled pages at the origin. Uses the search of the site there too, and fetches the files that it loads. The search
 * mostly waits, so it is used while pages are shown, if the crawl has seen a page with a search. Nothing is compared when no
 * browser looks at the bundle.
 */
export async function lookAndSearch(
  options: OriginSearchOptions & SearchPartsOptions,
  { look, seen }: Pick<ScriptPlacer, 'look' | 'seen'>,
): Promise<SiteSearch> {
  // It takes longest, so it begins first.
  const isKnown = seen !== null && showsSearch(seen)
  const words = isKnown ? await readSearchWords(seen) : []
  const [early] = await Promise.all([isKnown ? searchAtOrigin(options, seen, words) : null, look()])
  const origin = isKnown || !seen ? early : await searchAtOrigin(options, seen, await readSearchWords(seen))
  if (origin) await fetchSearchFiles(options, origin.look)
  if (!seen || !origin) return { fetched: [], open: () => ({ startAhead() {}, compare: async () => null }) }
  return { fetched: origin.look.fetched, open: bundle => openBundleSearch(seen, origin, bundle) }
}
