/**
 * Picks pages for a check: the start page, and then pages of as many folders as possible. The same pages always give the
 * same sample.
 *
 * @param pages sorted paths in the bundle.
 */
export function spreadSample(pages: readonly string[], size: number): string[] {
  if (pages.length <= size) return [...pages]
  const byFolder = new Map<string, string[]>()
  for (const page of pages) {
    const folder = page.slice(0, page.lastIndexOf('/') + 1)
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), page])
  }
  const picked = new Set([findStart(pages)])
  // With fewer places than folders, the folders are spread evenly. Otherwise each round takes the next page of every folder.
  const folders = [...byFolder.values()]
  const step = Math.max(1, folders.length / Math.max(1, size - picked.size))
  for (let round = 0; picked.size < size; round += 1) {
    for (let at = 0; at < folders.length && picked.size < size; at += step) {
      const page = folders[Math.floor(at)]?.[round]
      if (page !== undefined) picked.add(page)
    }
    if (round > pages.length) break
  }
  return [...picked].sort()
}

/** Finds the start page: the index.html that is nearest to the root, because a site may begin in a folder. */
function findStart(pages: readonly string[]): string {
  const depth = (page: string) => page.split('/').length
  const indexes = pages.filter(page => /(?:^|\/)index\.html$/.test(page))
  const [start] = indexes.sort((a, b) => depth(a) - depth(b))
  return start ?? (pages[0] as string)
}
