import type { WordHits } from '../../web/browser/use-search.ts'
import type { PageViewer } from '../../web/browser/viewer.ts'
import type { PlaceName, ScriptMode, SearchFindings } from '../model/report.ts'
import type { Change } from './choose-scripts.ts'
import { scriptPlaces } from './find-differences.ts'
import type { SeenSite } from './place-scripts.ts'
import { createPlace, type Place } from './places.ts'
import type { BundleSearch } from './search-ahead.ts'
import type { OriginSearch } from './search-at-origin.ts'
import { unknownWord } from './search-words.ts'

/** A written bundle. */
export interface SearchedBundle {
  folder: string
  /** Paths of the pages, by key. */
  pagePaths: ReadonlyMap<string, string>
}

type SearchingSite = Pick<SeenSite, 'modes'> & { viewer: Pick<PageViewer, 'search'> }

/** A search that finds some of the hits is used again, because a busy machine may have caused the failure. */
const attempts = 2

/** Hits of the words in one place, in order; null = the browser had no time for the word. */
type PlaceHits = readonly (number | null)[]

/** Prepares to use the search of a bundle in each place in which it runs, and to compare the hits with those at the origin. */
export function openBundleSearch(
  { viewer, modes }: SearchingSite,
  origin: OriginSearch,
  bundle: SearchedBundle,
): BundleSearch {
  const { page } = origin.scripted
  const path = bundle.pagePaths.get(page.key)
  const words = origin.use.words.filter(({ hits }) => hits > 0)
  let ahead: { mode: ScriptMode; hits: Promise<PlaceHits> } | null = null
  const count = (path: string, name: PlaceName, change?: Change) =>
    countHits({ viewer, origin, bundle, words }, path, createPlace(name, bundle.folder, change))

  return {
    startAhead(mode, change) {
      if (path === undefined) return
      ahead = { mode, hits: count(path, 'root', change) }
      // The comparison sees the errors.
      ahead.hits.catch(() => {})
    },
    async compare() {
      if (path === undefined) return null
      const places = scriptPlaces[modes.get(page.key) ?? 'none']
      // Pages of different modes also contain a script that loads pages.
      const isAsExpected = new Set(modes.values()).size === 1 && modes.get(page.key) === ahead?.mode
      const countIn = async (name: PlaceName) => {
        if (!places.includes(name)) return words.map(() => 0)
        return name === 'root' && ahead && isAsExpected ? ahead.hits : count(path, name)
      }
      const [root, folder, file] = await Promise.all([countIn('root'), countIn('folder'), countIn('file')])
      return toFindings(path, words, { root, folder, file })
    },
  }
}

interface Counting extends Pick<SearchingSite, 'viewer'> {
  origin: OriginSearch
  bundle: SearchedBundle
  words: readonly WordHits[]
}

async function countHits({ viewer, origin, bundle, words }: Counting, path: string, place: Place): Promise<PlaceHits> {
  const { page, app } = origin.scripted
  const task = {
    unknown: unknownWord,
    words: words.map(({ word, hits }) => ({ word, enough: hits })),
    wanted: words.length,
    known: { way: origin.use.way, looks: origin.use.looks },
  }
  const appPath = app && bundle.pagePaths.get(app.key)
  const address = appPath && place.name === 'root' ? place.address(appPath) + page.url.hash : place.address(path)
  let best: PlaceHits = words.map(() => null)
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const use = await viewer.search(address, place.answer, task)
    // A page without the field finds nothing. A word that was not tried in time says nothing.
    const hits = (at: number) => (use ? (use.words[at]?.hits ?? null) : 0)
    best = best.map((before, at) => (hits(at) === null ? before : Math.max(before ?? 0, hits(at) ?? 0)))
    if (words.every(({ hits }, at) => hits <= (best[at] ?? hits)) || best.every(hits => hits === 0)) break
  }
  return best
}

/** Lists the words that were tried in all places; null = none. */
function toFindings(
  page: string,
  words: readonly WordHits[],
  counted: Record<PlaceName, PlaceHits>,
): SearchFindings | null {
  const compared = words.flatMap(({ word, hits }, at) => {
    const [root, folder, file] = [counted.root[at] ?? null, counted.folder[at] ?? null, counted.file[at] ?? null]
    const isComplete = root !== null && folder !== null && file !== null
    return isComplete ? [{ word, origin: hits, root, folder, file }] : []
  })
  return compared.length === 0 ? null : { page, words: compared }
}
