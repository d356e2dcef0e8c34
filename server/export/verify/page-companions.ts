/** An address in which a page's own stands, split there. */
interface Pattern {
  before: string
  after: string
  /** The pages that it was seen of. */
  pages: Set<string>
}

/** Of so many pages a file has to be seen before all are asked for theirs. */
const fewestPages = 3
const maxPatterns = 12

/** Pictures and styles are shared or named in the page. */
const neverData = /\.(?:avif|css|gif|ico|jpe?g|png|svg|webp|woff2?)$/i

/**
 * The files that an app keeps beside each of its pages and loads on the way to it, such as its data: `/a/b/data.json`,
 * `/data/a/b.json` or `/a/b.txt` of the page `/a/b`. Those that were seen of some pages tell those of all.
 *
 * @param pages their paths, without a slash at the end.
 * @param seen paths of files that scripts asked for.
 * @return paths, sorted; of those that are guessed some may not be there.
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
    .filter(([, pattern]) => pattern.pages.size >= fewestPages)
    .sort(([a, { pages: ofA }], [b, { pages: ofB }]) => ofB.size - ofA.size || (a < b ? -1 : 1))
    .slice(0, maxPatterns)
  const found = proven.flatMap(([, { before, after }]) =>
    // The page at the root has no name to put an extension to.
    [...known].flatMap(name => (name === '' && !after.startsWith('/') ? [] : [before + name + after])),
  )
  return [...new Set(found)].filter(path => !asked.has(path)).sort()
}

/** The longest name of a page in a path: whole segments, the last one perhaps with something after a dot. */
function findPage(path: string, known: ReadonlySet<string>): { name: string; at: number } | null {
  const starts = [...path.matchAll(/\//g)].map(({ index }) => index)
  const ends = [...path.matchAll(/[./]/g)].map(({ index }) => index).reverse()
  for (const at of starts)
    for (const end of ends) if (end > at + 1 && known.has(path.slice(at, end))) return { name: path.slice(at, end), at }
  return null
}

function bareName(path: string): string {
  return path.replace(/\.x?html?$|\/$/i, '')
}
