import { readPageLinks } from '../../web/html/page-links.ts'
import { ExportError } from '../model/export-error.ts'
import type { PageOutcome, Resource } from '../model/resource.ts'
import { linkKey, type Site } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'
import { describePages, type LostPage, nameLost } from './check-outcome.ts'
import type { CollectedSite } from './crawl-tools.ts'

/** So many pages that are left out are a fault, if they are also so many times the pages of the bundle. */
const minLeftOut = 10
const timesPages = 3

/**
 * Lists the pages that a site links and that the bundle lacks, if they are many more than the pages that it has. Then the
 * start address or the answers of the server are usually wrong. Empty for a usual site.
 *
 * @param isExpected whether a reader expects the page; see `LostPage`.
 */
export async function findShortfall(
  { site, start, pages }: Pick<CollectedSite, 'site' | 'start' | 'pages'>,
  origin: URL,
  isExpected: (key: string) => boolean,
): Promise<LostPage[]> {
  const kept = [...pages.values()].flatMap(outcome => (outcome.state === 'page' ? [outcome.resource] : []))
  const missing = [...pages].flatMap(([key, outcome]) =>
    outcome.state === 'missing' && isExpected(key) ? [lose(key, outcome.reason)] : [],
  )
  const beside = origin.pathname.endsWith('/') ? [] : await findBeside(site, kept.slice(0, timesPages), start)
  const leftOut = [...missing, ...findGathered(pages), ...beside].sort((a, b) => (a.path < b.path ? -1 : 1))
  return leftOut.length >= minLeftOut && leftOut.length > timesPages * kept.length ? leftOut : []
}

/** @throws {ExportError} */
export function refuseShortfall(shortfall: readonly LostPage[], { domain }: Pick<Site, 'domain'>): void {
  if (shortfall.length === 0) return
  const message = `${noteShortfall(shortfall)} Check the address of ${domain} and what it answers, or accept the loss (--allow-loss).`
  throw new ExportError(message, 'not_found')
}

/** Returns a sentence for the report. */
export function noteShortfall(shortfall: readonly LostPage[]): string {
  return `The site links ${describePages(shortfall.length)} that the bundle lacks, many more than it has: ${nameLost(shortfall)}.`
}

function lose(key: string, reason: string): LostPage {
  const { pathname, search } = new URL(key)
  return { path: pathname + search, reason, isExpected: true }
}

/** Lists pages that all redirect to the same address, as to a page for the login. */
function findGathered(pages: ReadonlyMap<string, PageOutcome>): LostPage[] {
  const byTarget = new Map<string, LostPage[]>()
  for (const [key, outcome] of pages) {
    if (outcome.state !== 'redirect' && outcome.state !== 'elsewhere') continue
    const target = outcome.state === 'redirect' ? outcome.to : outcome.url.origin + outcome.url.pathname
    const gathered = byTarget.get(target) ?? []
    byTarget.set(target, gathered)
    gathered.push(lose(key, `redirects to ${target}`))
  }
  return [...byTarget.values()].flatMap(gathered => (gathered.length >= minLeftOut ? gathered : []))
}

/**
 * Lists the links to pages outside of the scope, if the scope is the address of a page and no folder: its neighbours are
 * probably the site.
 */
async function findBeside(site: Site, pages: readonly Resource[], start: URL): Promise<LostPage[]> {
  const parent = new URL('.', start.href.replace(/\/$/, '')).pathname
  const found = new Map<string, LostPage>()
  for (const { span, charset, url } of pages) {
    const text = span ? (await readSpan(span)).toString('latin1') : ''
    for (const link of readPageLinks({ text, charset }, url).links) {
      const own = site.own(link)
      if (own && site.isBeside(own) && own.pathname.startsWith(parent))
        found.set(linkKey(own), lose(linkKey(own), `outside of ${site.origin.pathname}; export ${parent}`))
    }
  }
  return [...found.values()]
}
