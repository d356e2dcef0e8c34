import type { ExportErrorCode } from '../model/export-error.ts'
import type { PageOutcome } from '../model/resource.ts'
import { linkKey } from '../model/site.ts'
import type { CollectedSite } from './collected-site.ts'

/** Max redirects followed from a wanted page. */
const maxHops = 10

/** A wanted page that cannot be exported. */
export interface Loss {
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
  if (needsLogin(reason)) return lose(reason, 'Set an origin that needs no login, or use npx quire export --header.')
  if (/larger than the limit/.test(reason)) return lose(reason, 'Raise the limit.', 'too_large')
  if (outcome.state === 'unvisited') return lose(reason, 'Raise the limit, or name fewer pages.', 'too_large')
  if (outcome.state === 'failed') return lose(reason, `Start again when ${site.domain} answers.`, 'unreachable')
  return lose(reason)
}

/** Names the reason of an outcome that is not a page. */
export function nameReason(outcome: PageOutcome): string {
  if ('reason' in outcome) return outcome.reason
  return outcome.state === 'file' ? 'not an HTML page' : 'its redirects do not end at a page'
}

/** Whether the reason is a status that asks for a login. */
export function needsLogin(reason: string): boolean {
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
