import type { PageViewer } from '../../web/browser/viewer.ts'
import type { PlaceName, ScriptMode, SearchFindings } from '../model/report.ts'
import type { SeenSite } from './place-scripts.ts'
import { createPlace } from './places.ts'
import type { OriginSearch } from './search-at-origin.ts'
import { unknownWord } from './search-words.ts'

/** A finished bundle. */
interface SearchedBundle {
  folder: string
  /** Paths of the pages, by key. */
  pagePaths: ReadonlyMap<string, string>
}

/** Where the scripts of a page run, and so its search. */
const placesOf: Record<ScriptMode, readonly PlaceName[]> = {
  none: [],
  everywhere: ['root', 'folder', 'file'],
  hosted: ['root', 'folder'],
  guarded: ['root'],
  frozen: [],
}

/** A search that finds some of the hits is used again, because a busy machine may have caused the failure. */
const attempts = 2

/** Uses the search in each place in which it runs. Returns the hits beside those at the origin; null without the page. */
export async function compareSearch(
  { viewer, modes }: Pick<SeenSite, 'modes'> & { viewer: Pick<PageViewer, 'search'> },
  origin: OriginSearch,
  { folder, pagePaths }: SearchedBundle,
): Promise<SearchFindings | null> {
  const { page, app } = origin.scripted
  const path = pagePaths.get(page.key)
  if (path === undefined) return null
  const words = origin.look.words.filter(({ hits }) => hits > 0)
  const places = placesOf[modes.get(page.key) ?? 'none']
  const task = {
    unknown: unknownWord,
    words: words.map(({ word, hits }) => ({ word, enough: hits })),
    wanted: words.length,
    known: { way: origin.look.way, looks: origin.look.looks },
  }
  const count = async (name: PlaceName): Promise<readonly (number | null)[]> => {
    if (!places.includes(name)) return words.map(() => 0)
    const place = createPlace(name, folder)
    const appPath = app && pagePaths.get(app.key)
    const address = appPath && name === 'root' ? place.address(appPath) + page.url.hash : place.address(path)
    let best: (number | null)[] = words.map(() => null)
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const look = await viewer.search(address, place.answer, task)
      // A page without the field finds nothing. A word that was not tried in time says nothing.
      const hits = (at: number) => (look ? (look.words[at]?.hits ?? null) : 0)
      best = best.map((before, at) => (hits(at) === null ? before : Math.max(before ?? 0, hits(at) ?? 0)))
      if (words.every(({ hits }, at) => hits <= (best[at] ?? hits)) || best.every(hits => hits === 0)) break
    }
    return best
  }
  const [root, inFolder, onFile] = await Promise.all([count('root'), count('folder'), count('file')])
  const compared = words.flatMap(({ word, hits }, at) => {
    const [atRoot, folder, file] = [root[at] ?? null, inFolder[at] ?? null, onFile[at] ?? null]
    const isComplete = atRoot !== null && folder !== null && file !== null
    return isComplete ? [{ word, origin: hits, root: atRoot, folder, file }] : []
  })
  return compared.length === 0 ? null : { page: path, words: compared }
}
