import { ExportError } from '../model/export-error.ts'
import type { PageOutcome } from '../model/resource.ts'
import { linkKey, type Site } from '../model/site.ts'
import type { CrawlState } from './crawl-state.ts'

/** So many reasons are told when pages fail, and so many pages of each. */
const toldReasons = 3
const toldPages = 3

/**
 * Decides whether what was collected is worth a bundle.
 *
 * @param wanted the pages asked for by name; null = the whole site.
 * @throws {ExportError} when it is not, or when a page that was asked for is not there.
 */
export function checkOutcome(state: CrawlState, start: URL, wanted: URL[] | null): void {
  const { site, pages, exclusions, limits } = state
  const all = [...pages.values()]
  const found = all.filter(outcome => outcome.state === 'page').length
  const failed = all.filter(outcome => outcome.state === 'failed').length
  const known = found + failed
  const first = pages.get(linkKey(start))
  if (found === 0 && (exclusions.has(start) || (first?.state === 'redirect' && exclusions.has(new URL(first.to)))))
    throw new ExportError(`The page ${start.pathname} is left out by choice; exclude fewer pages.`, 'not_found')
  if (found === 0 && first) throw explainStart(site, start, first)
  const lost = (wanted ?? []).filter(url => !leadsToPage(state, linkKey(url)))
  if (lost.length > 0) {
    const names = lost.slice(0, 5).map(url => describeLost(url, pages.get(linkKey(url)), exclusions.has(url)))
    const more = lost.length > 5 ? ` and ${lost.length - 5} more` : ''
    throw new ExportError(
      `No page is at ${names.join(', ')}${more}; correct \`paths\` (--path) and start again.`,
      'not_found',
    )
  }
  if (failed * 100 > known * limits.failedPercent) {
    const message = `${failed} of ${known} pages could not be fetched, more than ${limits.failedPercent} % (--max-failed-percent): ${describeFailures(pages)}. Start again when ${site.domain} answers, or raise the limit.`
    throw new ExportError(message, 'unreachable')
  }
}

/** What failed most first: `40 times status 502 (/a, /b, /c ...), 2 times status 500 (/d, /e)`. */
function describeFailures(pages: CrawlState['pages']): string {
  const byReason = new Map<string, string[]>()
  for (const [key, outcome] of [...pages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (outcome.state !== 'failed') continue
    const url = new URL(key)
    const paths = byReason.get(outcome.reason) ?? []
    paths.push(url.pathname + url.search)
    byReason.set(outcome.reason, paths)
  }
  const sorted = [...byReason].sort(([a, one], [b, two]) => two.length - one.length || (a < b ? -1 : 1))
  const told = sorted.slice(0, toldReasons).map(([reason, paths]) => {
    const more = paths.length > toldPages ? ' ...' : ''
    return `${paths.length} ${paths.length === 1 ? 'time' : 'times'} ${reason} (${paths.slice(0, toldPages).join(', ')}${more})`
  })
  return told.join(', ') + (sorted.length > toldReasons ? ' and other reasons' : '')
}

/** Limits and robots.txt are told; that a page is not there goes without saying. */
function describeLost({ pathname }: URL, outcome: PageOutcome | undefined, isExcluded: boolean): string {
  if (isExcluded) return `${pathname} (left out by choice)`
  return outcome?.state === 'skipped' || outcome?.state === 'unvisited' ? `${pathname} (${outcome.reason})` : pathname
}

function explainStart(site: Site, start: URL, first: PageOutcome): ExportError {
  if (first.state === 'elsewhere') {
    const message = `${site.domain} redirects to ${first.url.host}; export that domain, or set the site's origin.`
    return new ExportError(message, 'leaves_domain')
  }
  const reason = 'reason' in first ? first.reason : 'it leads to no page'
  if (/robots\.txt/.test(reason)) {
    return new ExportError(
      `The robots.txt of ${site.domain} does not allow the export; where the site is your own, set its origin, or --ignore-robots.`,
      'robots',
    )
  }
  if (/larger than the limit/.test(reason)) {
    return new ExportError(`The page ${start.pathname} of ${site.domain} is ${reason}; raise the limit.`, 'too_large')
  }
  const remedy = /^status 40[137]$/.test(reason)
    ? 'it lets only those in whom it knows: name an origin that asks for nothing, or use quire export --header'
    : 'check its domain and origin'
  const message = `${site.domain} gave no page at ${start.pathname} (${reason}); ${remedy}.`
  return new ExportError(message, first.state === 'failed' ? 'unreachable' : 'not_found')
}

function leadsToPage({ pages }: CrawlState, start: string): boolean {
  let key = start
  for (let hop = 0; hop < 10; hop += 1) {
    const outcome = pages.get(key)
    if (outcome?.state !== 'redirect') return outcome?.state === 'page' || outcome?.state === 'file'
    key = outcome.to
  }
  return false
}
