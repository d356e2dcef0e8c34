import { maxFolded } from './query-pages.ts'
import type { CrawlResult } from './visit.ts'

/** Returns the notes of the report about links that were not followed. */
export function noteCrawl({ isCut, folded, endless }: CrawlResult): string[] {
  const cut = 'The site has more links than the memory limit allows: some were neither followed nor listed.'
  const path = endless[0] && new URL(endless[0]).pathname + new URL(endless[0]).search
  const trap = `Pages such as ${path} seem to have no end: their addresses differ only in numbers, and they show no new text. Links to further ones were not followed.`
  return [...(path ? [trap] : []), ...noteFolded(folded), ...(isCut ? [cut] : [])]
}

/** Notes dropped queries for the report: a query may choose a language, and the bundle would lack that language. */
function noteFolded(folded: readonly string[]): string[] {
  const [first] = folded
  if (first === undefined) return []
  const { pathname, search } = new URL(first)
  const many = folded.length >= maxFolded ? `${maxFolded} or more` : String(folded.length)
  const [links, point] = folded.length === 1 ? ['link', 'points'] : ['links', 'point']
  return [
    `${many} ${links} with a query, such as ${pathname}${search}, ${point} to the page without the query: the bundle does not contain variants that differ only in the query.`,
  ]
}
