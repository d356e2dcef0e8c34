import { useSearch } from '../export/check-app.ts'
import type { SiteSearch } from '../export/site.ts'
import type { Visitor } from '../export/visitor.ts'
import type { Place } from './place.ts'

/** Uses the search of a site in one place. Returns the number of hits for each query; none where the search does not work. */
export async function countHits(search: SiteSearch, place: Place, visitor: Visitor): Promise<number[]> {
  const [path = '', query] = search.path.split('?')
  const address = place.addressOf(path)
  if (address === undefined) return search.queries.map(() => 0)
  // useSearch resolves the path against a root. Here, the root is the page.
  const found = await useSearch({ ...search, path: query === undefined ? '' : `?${query}` }, address, visitor).catch(
    () => [],
  )
  return search.queries.map((_, i) => found[i]?.length ?? 0)
}
