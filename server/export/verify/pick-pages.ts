import type { ScriptedPage } from './sample-pages.ts'

interface PickOptions {
  /** Number of pages that stand for the group. */
  base: number
  /** Max further pages that have something the others lack. */
  more: number
  /** Keys of pages that were shown at the origin already. */
  known: { has(key: string): boolean }
}

/** The pages of a group to open. */
export interface PickedPages {
  base: ScriptedPage[]
  /** Pages with marks that no other picked page has. */
  odd: ScriptedPage[]
}

/**
 * Picks the pages that stand for a group of like pages: known ones first, then pages that are evenly spread. Then picks pages
 * with markup that the picked pages lack, such as a custom element that only one page has. First comes the page with the most
 * such marks for the time to open it: the longest page of a manual takes ten times as long as the others. The same group always
 * gives the same pages.
 *
 * @param pages sorted by key.
 */
export function pickPages(pages: readonly ScriptedPage[], { base, more, known }: PickOptions): PickedPages {
  const first = pages.filter(({ page }) => known.has(page.key)).slice(0, Math.max(1, base - 1))
  const others = pages.filter(page => !first.includes(page))
  const picked = [...first, ...spread(others, base - first.length)]
  const covered = new Set(picked.flatMap(marksOf))
  const odd: ScriptedPage[] = []
  while (odd.length < more) {
    const [next, gain] = findOddest(pages, covered)
    if (!next || gain === 0) break
    odd.push(next)
    for (const mark of marksOf(next)) covered.add(mark)
  }
  const byKey = (a: ScriptedPage, b: ScriptedPage) => (a.page.key < b.page.key ? -1 : 1)
  return { base: picked.sort(byKey), odd: odd.sort(byKey) }
}

/** To open any page takes as long as to show a page of this size, about a second. */
const openingBytes = 200_000

/** Finds the pages that have a mark of the odd page that none of the usual pages has. */
export function findLike(
  odd: ScriptedPage,
  usual: readonly ScriptedPage[],
  pages: readonly ScriptedPage[],
): ScriptedPage[] {
  const known = new Set(usual.flatMap(marksOf))
  const own = new Set(marksOf(odd).filter(mark => !known.has(mark)))
  return pages.filter(page => page === odd || marksOf(page).some(mark => own.has(mark)))
}

function marksOf({ page }: ScriptedPage): readonly number[] {
  return page.marks ?? []
}

/** Returns at most so many items, evenly spread over all. */
export function spread<T>(sorted: readonly T[], size: number): T[] {
  if (sorted.length <= size) return [...sorted]
  if (size <= 0) return []
  const picked = Array.from({ length: size }, (_, index) => sorted[Math.floor((index * sorted.length) / size)])
  return picked.filter(item => item !== undefined)
}

function findOddest(
  pages: readonly ScriptedPage[],
  covered: ReadonlySet<number>,
): [page: ScriptedPage | null, gain: number] {
  let oddest: ScriptedPage | null = null
  let most = 0
  for (const page of pages) {
    let marks = 0
    for (const mark of marksOf(page)) if (!covered.has(mark)) marks += 1
    const gain = marks / (openingBytes + page.page.sizeBytes)
    if (gain > most) [oddest, most] = [page, gain]
  }
  return [oddest, most]
}
