/** A path that contains the path of a page, split around it. */
interface Pattern {
  before: string
  after: string
  /** The pages for which the pattern was seen. */
  pages: Set<string>
}

/** Min pages for which a file must be seen before it is requested for all pages. */
const minPages = 3
const maxPatterns = 12

/** Each folder of a path costs time for the rest of the path. The paths of pages are no longer than these. */
const maxFolders = 50
const maxLength = 2000

/** Extensions of files that never contain the data of one page. */
const neverData = /\.(?:avif|css|gif|ico|jpe?g|png|svg|webp|woff2?)$/i

/**
 * Finds the files that an app keeps for each page, such as its data: `/a/b/data.json`, `/data/a/b.json` or `/a/b.txt` for
 * the page `/a/b`. Derives patterns from the files seen for some pages, and applies them to all pages.
 *
 * @param pages paths of the pages, without a trailing slash.
 * @param seen paths of files that scripts requested.
 * @return sorted paths. Some of the files may be missing.
 */
export function findCompanions(pages: Iterable<string>, seen: Iterable<string>): string[] {
  const known = new Set([...pages].map(bareName))
  const asked = new Set(seen)
  const patterns = new Map<string, Pattern>()
  for (const path of asked) {
    const page = neverData.test(path) ? null : findPage(path, known)
    if (!page) continue
    const before = path.slice(0, page.at)
    const after = path.slice(page.at + page.name.length)
    const key = `${before} ${after}`
    const pattern = patterns.get(key) ?? { before, after, pages: new Set() }
    patterns.set(key, pattern)
    pattern.pages.add(page.name)
  }
  const proven = [...patterns]
    .filter(([, pattern]) => pattern.pages.size >= minPages)
    .sort(([a, { pages: ofA }], [b, { pages: ofB }]) => ofB.size - ofA.size || (a < b ? -1 : 1))
    .slice(0, maxPatterns)
  const found = proven.flatMap(([, { before, after }]) =>
    // The page at the root has no name that could take an extension.
    [...known].flatMap(name => (name === '' && !after.startsWith('/') ? [] : [before + name + after])),
  )
  return [...new Set(found)].filter(path => !asked.has(path)).sort()
}

/** Finds the longest page path inside a path. Compares whole segments, but the last one may end at a dot. */
function findPage(path: string, known: ReadonlySet<string>): { name: string; at: number } | null {
  if (path.length > maxLength) return null
  const starts = [...path.matchAll(/\//g)].map(({ index }) => index)
  if (starts.length > maxFolders) return null
  const ends = [...path.matchAll(/[./]/g)].map(({ index }) => index).reverse()
  for (const at of starts)
    for (const end of ends) if (end > at + 1 && known.has(path.slice(at, end))) return { name: path.slice(at, end), at }
  return null
}

function bareName(path: string): string {
  return path.replace(/\.x?html?$|\/$/i, '')
}
