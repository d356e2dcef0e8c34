import { ExportError, type ExportErrorCode } from '../model/export-error.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { PageOutcome } from '../model/resource.ts'
import { linkKey, type Site } from '../model/site.ts'
import type { CollectedSite } from './crawl-tools.ts'

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
    ? 'the site requires a login: record one with npx quire login, use npx quire export --header, or set an origin that needs none'
    : 'check its domain and origin'
  const message = `${site.domain} returned no page at ${start.pathname} (${reason}); ${remedy}.`
  return new ExportError(message, first.state === 'failed' ? 'unreachable' : 'not_found')
}

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
/** Max redirects followed from a wanted page, and to a lost page. */
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
interface Losses {
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

export function describePages(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`
}

export function nameLost(lost: readonly LostPage[]): string {
  const named = lost.slice(0, maxNamed).map(({ path, reason }) => `${path} (${reason})`)
  const more = lost.length > maxNamed ? ` and ${lost.length - maxNamed} more` : ''
  return named.join(', ') + more
}

/** A wanted page that cannot be exported. */
interface Loss {
  path: string
  reason: string
  /** A sentence. */
  remedy: string
  code: ExportErrorCode
}

/**
 * Explains why a wanted page is not in the bundle; undefined if it is.
 *
 * @param hasPages whether the bundle has a page. A bundle of nothing but files cannot be opened.
 */
export function findLoss(
  { site, pages, exclusions }: Pick<CollectedSite, 'site' | 'pages' | 'exclusions'>,
  url: URL,
  hasPages: boolean,
): Loss | undefined {
  const path = url.pathname
  const correct = 'Correct `paths` (--path) and start again.'
  const lose = (reason: string, remedy = correct, code: ExportErrorCode = 'not_found') => ({
    path,
    reason,
    remedy,
    code,
  })
  const { outcome, isExcluded } = followRedirects(pages, url, exclusions)
  if (outcome?.state === 'page' || (outcome?.state === 'file' && hasPages)) return undefined
  if (isExcluded) return lose('excluded by your rules', `${correct.slice(0, -1)}, or exclude fewer pages (--exclude).`)
  if (outcome === undefined) return lose('not fetched')
  if (outcome.state === 'elsewhere')
    return lose(
      `redirects to ${outcome.url.host}`,
      `Export that domain, or set the origin of ${site.domain}.`,
      'leaves_domain',
    )
  const reason = nameReason(outcome)
  if (/robots\.txt/.test(reason))
    return lose(reason, `If ${site.domain} is yours, set its origin or pass --ignore-robots.`, 'robots')
  if (needsLogin(reason))
    return lose(
      reason,
      'Record a login with npx quire login, use npx quire export --header, or set an origin that needs none.',
    )
  if (/larger than the limit/.test(reason)) return lose(reason, 'Raise the limit.', 'too_large')
  if (outcome.state === 'unvisited') return lose(reason, 'Raise the limit, or name fewer pages.', 'too_large')
  if (outcome.state === 'failed') return lose(reason, `Start again when ${site.domain} answers.`, 'unreachable')
  return lose(reason)
}

/** Names the reason of an outcome that is not a page. */
function nameReason(outcome: PageOutcome): string {
  if ('reason' in outcome) return outcome.reason
  return outcome.state === 'file' ? 'not an HTML page' : 'its redirects do not end at a page'
}

/** Whether the reason is a status that asks for a login. */
function needsLogin(reason: string): boolean {
  return /^status 40[137]$/.test(reason)
}

/** Returns the outcome at the end of the redirects from a page. */
function followRedirects(
  pages: CollectedSite['pages'],
  url: URL,
  exclusions: CollectedSite['exclusions'],
): { outcome: PageOutcome | undefined; isExcluded: boolean } {
  let outcome = pages.get(linkKey(url))
  let isExcluded = exclusions.has(url)
  for (let hop = 0; hop < maxHops && outcome?.state === 'redirect'; hop += 1) {
    isExcluded ||= exclusions.has(new URL(outcome.to))
    outcome = pages.get(outcome.to) ?? { state: 'missing', reason: 'its redirects do not end at a page' }
  }
  return { outcome, isExcluded }
}
