/** Links of a page that say where it stands in its site, as paths of pages in the bundle. */
export interface PageLinks {
  /** The page that comes next (`rel=next`); null = not named. */
  next: string | null
  /** Links around the content, in their order. */
  around: string[]
  /** Links in the content. */
  inside: string[]
}

/**
 * Orders the pages of a site as a reader comes to them: along the links to the next page, and by the links of the start
 * page, those of its navigation first, in which each page is followed by what only its own navigation names. Pages that neither names follow by their path.
 *
 * @param start first page
 */
export function orderPages(pages: ReadonlyMap<string, PageLinks>, start: string): string[] {
  const ordered = new Set<string>()
  const first = pages.get(start)
  const top = first ? [...first.around, ...first.inside] : []
  const reserved = new Set(top)
  const waiting = [...top].reverse().concat(start)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const page = pages.get(path)
    if (!page || ordered.has(path)) continue
    ordered.add(path)
    for (const link of page.around.toReversed()) if (!reserved.has(link) && !ordered.has(link)) waiting.push(link)
    if (page.next !== null) waiting.push(page.next)
  }
  return [...ordered, ...[...pages.keys()].filter(path => !ordered.has(path)).sort()]
}
