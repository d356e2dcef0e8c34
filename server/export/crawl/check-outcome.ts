import { ExportError } from '../model/export-error.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { PageOutcome } from '../model/resource.ts'
import { linkKey, type Site } from '../model/site.ts'
import type { CollectedSite } from './collected-site.ts'
import { findLoss, nameReason, needsLogin } from './lost-page.ts'

/** Max reasons named when pages fail, and max pages named for each reason. */
const maxReasons = 3
const maxPagesPerReason = 3
/** Max missing pages named. */
const maxLost = 5

type Outcome = Pick<CollectedSite, 'site' | 'start' | 'pages' | 'exclusions'>

/**
 * Checks that the crawl found enough for a bundle.
 *
 * @param wanted the pages requested by name; null = the whole site.
 * @throws {ExportError} when the crawl found too little, or when a wanted page is missing.
 */
export function checkOutcome(found: Outcome, limits: ExportLimits, wanted: readonly URL[] | null): void {
  if (wanted !== null) checkWanted(found, wanted)
  if (countIn(found, 'page') === 0) checkStart(found)
  checkFailures(found, limits)
}

function countIn({ pages }: Pick<Outcome, 'pages'>, state: PageOutcome['state']): number {
  return [...pages.values()].filter(outcome => outcome.state === state).length
}

function checkStart({ site, start, pages, exclusions }: Outcome): void {
  const first = pages.get(linkKey(start))
  if (exclusions.has(start) || (first?.state === 'redirect' && exclusions.has(new URL(first.to))))
    throw new ExportError(
      `The page ${start.pathname} is excluded by your rules (--exclude). Exclude fewer pages.`,
      'not_found',
    )
  if (first) throw explainStart(site, start, first)
}

function checkWanted(found: Outcome, wanted: readonly URL[]): void {
  const hasPages = countIn(found, 'page') > 0
  const losses = wanted.flatMap(url => findLoss(found, url, hasPages) ?? [])
  const [first] = losses
  if (!first) return
  const named = losses.slice(0, maxLost).map(({ path, reason }) => `${path} (${reason})`)
  const more = losses.length > maxLost ? ` and ${losses.length - maxLost} more` : ''
  const these = losses.length === 1 ? 'This page' : 'These pages'
  const remedies = [...new Set(losses.map(({ remedy }) => remedy))].join(' ')
  const isSame = losses.every(({ code }) => code === first.code)
  throw new ExportError(
    `${these} cannot be exported: ${named.join(', ')}${more}. ${remedies}`,
    isSame ? first.code : 'not_found',
  )
}

function checkFailures(found: Outcome, { failedPercent }: ExportLimits): void {
  const failed = countIn(found, 'failed')
  const known = countIn(found, 'page') + failed
  if (failed * 100 <= known * failedPercent) return
  const message = `${failed} of ${known} pages could not be fetched. The limit is ${failedPercent} % (--max-failed-percent). Failures: ${describeFailures(found.pages)}. Start again when ${found.site.domain} answers, or raise the limit.`
  throw new ExportError(message, 'unreachable')
}

/**
 * Lists failures by reason, the most frequent first: `40 times status 502 (/a, /b, /c ...), 2 times status 500 (/d, /e)`.
 */
function describeFailures(pages: CollectedSite['pages']): string {
  const byReason = new Map<string, string[]>()
  for (const [key, outcome] of [...pages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (outcome.state !== 'failed') continue
    const url = new URL(key)
    const paths = byReason.get(outcome.reason) ?? []
    paths.push(url.pathname + url.search)
    byReason.set(outcome.reason, paths)
  }
  const sorted = [...byReason].sort(([a, one], [b, two]) => two.length - one.length || (a < b ? -1 : 1))
  const described = sorted.slice(0, maxReasons).map(([reason, paths]) => {
    const more = paths.length > maxPagesPerReason ? ' ...' : ''
    return `${paths.length} ${paths.length === 1 ? 'time' : 'times'} ${reason} (${paths.slice(0, maxPagesPerReason).join(', ')}${more})`
  })
  return described.join(', ') + (sorted.length > maxReasons ? ' and other reasons' : '')
}

function explainStart(site: Site, start: URL, first: PageOutcome): ExportError {
  if (first.state === 'elsewhere') {
    const message = `${site.domain} redirects to ${first.url.host}; export that domain, or set the site's origin.`
    return new ExportError(message, 'leaves_domain')
  }
  const reason = nameReason(first)
  if (/robots\.txt/.test(reason)) {
    return new ExportError(
      `The robots.txt of ${site.domain} does not allow the export; if the site is yours, set its origin or pass --ignore-robots.`,
      'robots',
    )
  }
  if (/larger than the limit/.test(reason)) {
    return new ExportError(`The page ${start.pathname} of ${site.domain} is ${reason}; raise the limit.`, 'too_large')
  }
  const remedy = needsLogin(reason)
    ? 'the site requires a login: set an origin that needs none, or use npx quire export --header'
    : 'check its domain and origin'
  const message = `${site.domain} returned no page at ${start.pathname} (${reason}); ${remedy}.`
  return new ExportError(message, first.state === 'failed' ? 'unreachable' : 'not_found')
}
