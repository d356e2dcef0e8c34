import { ExportError } from '../model/export-error.ts'
import type { PageOutcome } from '../model/resource.ts'
import type { Site } from '../model/site.ts'

/**
 * A page or a list of pages that could not be fetched, although it may exist: the server failed or did not answer. A page
 * that the server does not know (404, 410) is a dead link, not a lost page.
 */
export interface LostPage {
  /** The path with its query. */
  path: string
  reason: string
  /**
   * Whether a reader expects the page. That is a page that a sitemap or llms.txt lists, that is linked in the navigation of
   * a page (see `NavigationTracker`), or that at least `manyLinks` pages link to. A page is expected too if a redirect
   * leads from such a page to it.
   */
  isExpected: boolean
}

/** So many pages link only to what belongs to the frame of a site. */
export const manyLinks = 5
/** Max pages named in a message. */
const maxNamed = 3
/** Max redirects followed to a lost page. */
const maxHops = 10

/**
 * Lists the pages that were lost, sorted by path.
 *
 * @param isListed whether the links to a page alone make it expected.
 */
export function listLostPages(
  pages: ReadonlyMap<string, PageOutcome>,
  isListed: (key: string) => boolean,
  site: Pick<Site, 'origin'>,
): LostPage[] {
  const lost = [...pages].flatMap(([key, outcome]) => (outcome.state === 'failed' ? [{ key, ...outcome }] : []))
  if (lost.length === 0) return []
  const expected = new Set([...pages.keys()].filter(isListed))
  for (const [key, outcome] of pages)
    if (outcome.state === 'redirect' && expected.has(key)) follow(pages, key, expected)
  return lost
    .map(({ key, reason }) => ({ path: pathOf(key, site), reason, isExpected: expected.has(key) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Adds the pages that the redirects from a page lead to. */
function follow(pages: ReadonlyMap<string, PageOutcome>, start: string, expected: Set<string>): void {
  let outcome = pages.get(start)
  for (let hop = 0; hop < maxHops && outcome?.state === 'redirect'; hop += 1) {
    expected.add(outcome.to)
    outcome = pages.get(outcome.to)
  }
}

function pathOf(key: string, { origin }: Pick<Site, 'origin'>): string {
  return key.startsWith(origin.origin) ? key.slice(origin.origin.length) : key
}

/** What a crawl could not fetch. */
export interface Losses {
  pages: readonly LostPage[]
  /** Lists of pages, such as sitemaps. Pages that only they name are not known. */
  lists: readonly LostPage[]
}

/** @throws {ExportError} when a page or a list is lost that a reader expects. */
export function checkExpected({ pages, lists }: Losses, { domain }: Pick<Site, 'domain'>): void {
  const again = `Start again when ${domain} answers`
  const lostPages = pages.filter(({ isExpected }) => isExpected)
  if (lostPages.length > 0) {
    const message = `${describePages(lostPages.length)} that the site lists or links in its navigation could not be fetched: ${nameLost(lostPages)}. ${again}, leave them out (--exclude), or accept the loss (--allow-loss).`
    throw new ExportError(message, 'unreachable')
  }
  const lostLists = lists.filter(({ isExpected }) => isExpected)
  if (lostLists.length === 0) return
  const message = `Pages may be missing, because a sitemap could not be read: ${nameLost(lostLists)}. ${again}, or accept the loss (--allow-loss).`
  throw new ExportError(message, 'unreachable')
}

/** Returns the notes of the report about what is lost. */
export function noteLosses({ pages, lists }: Losses): string[] {
  const notes = []
  if (pages.length > 0) notes.push(`Missing: ${describePages(pages.length)} could not be fetched: ${nameLost(pages)}.`)
  if (lists.length > 0) notes.push(`Pages may be missing, because a sitemap could not be read: ${nameLost(lists)}.`)
  return notes
}

function describePages(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`
}

function nameLost(lost: readonly LostPage[]): string {
  const named = lost.slice(0, maxNamed).map(({ path, reason }) => `${path} (${reason})`)
  const more = lost.length > maxNamed ? ` and ${lost.length - maxNamed} more` : ''
  return named.join(', ') + more
}
