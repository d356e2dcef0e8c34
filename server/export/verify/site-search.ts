import type { SearchFindings } from '../model/report.ts'
import { compareSearch } from './compare-search.ts'
import type { SeenSite } from './place-scripts.ts'
import { type OriginSearchOptions, searchAtOrigin } from './search-at-origin.ts'
import { fetchSearchFiles, type SearchPartsOptions } from './search-parts.ts'

/** The search of a site, in the bundle and at the origin. */
export interface SiteSearch {
  /** Compares the search of the finished bundle with the origin. Null = there is nothing to compare. */
  compare(bundle: { folder: string; pagePaths: ReadonlyMap<string, string> }): Promise<SearchFindings | null>
}

/**
 * Uses the search of a site at its origin, and fetches the files that it loads. Called before the bundle is written.
 *
 * @param seen null = no browser looks at the bundle, so nothing is compared.
 */
export async function useSiteSearch(
  options: OriginSearchOptions & SearchPartsOptions,
  seen: SeenSite | null,
): Promise<SiteSearch> {
  const origin = seen && (await searchAtOrigin(options, seen))
  if (origin) await fetchSearchFiles(options, origin.look)
  return { compare: async bundle => (seen && origin ? compareSearch(seen, origin, bundle) : null) }
}
