import type { ExportReport } from '../model/report.ts'
import type { CollectedSite } from './collected-site.ts'
import { listThirdParties } from './third-parties.ts'

/** Max unvisited links named in the report. A note gives the total. */
const maxUnvisited = 1000

/** Returns the report after the crawl. Its lists of links are filled when the bundle is written. */
export function beginReport(
  options: Pick<ExportReport, 'domain' | 'version' | 'deployment'>,
  collected: CollectedSite,
  rendering: Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'>,
): ExportReport {
  const { pages, files, exclusions, products } = collected
  const name = (key: string) => pathOf(collected, key)
  const unvisited = listPages(collected, ['unvisited']).sort(byUrl)
  const skipped = [...listPages(collected, ['skipped', 'failed']), ...unvisited.slice(0, maxUnvisited)]
  const keptPages = [...pages].flatMap(([key, { state }]) => (state === 'page' ? [key] : []))
  const counts = products.count(keptPages)
  return {
    domain: options.domain,
    version: options.version,
    deployment: options.deployment,
    pages: keptPages.length,
    files: files.size,
    renderedPages: rendering.renderedPages.map(name).sort(),
    comparedPages: rendering.comparedPages.map(name).sort(),
    notes: [...rendering.notes, ...noteUnvisited(unvisited), ...exclusions.notes()],
    redirects: [],
    deadLinks: [],
    missingFiles: [],
    skipped: skipped.sort(byUrl),
    excludedPages: exclusions.list().map(({ key, pattern }) => ({ url: name(key), pattern })),
    ...counts,
    frozenReferences: counts.frozenReferences.map(each => ({ ...each, page: name(each.page) })).sort(byPage),
    ...listThirdParties(collected),
    unresolved: [],
    offlineSearch: null,
    siteSearch: null,
    scripts: { mode: 'none', reason: null, groups: [], decidedBy: 'rule', checkedPages: [] },
    differences: [],
  }
}

type Skipped = ExportReport['skipped']

function listPages(collected: CollectedSite, states: readonly string[]): Skipped {
  const listed: Skipped = []
  // There can be hundreds of thousands, so no copy of all is made.
  for (const [key, outcome] of collected.pages) {
    if (states.includes(outcome.state) && 'reason' in outcome) {
      listed.push({ url: pathOf(collected, key), reason: outcome.reason })
    }
  }
  return listed
}

function noteUnvisited(unvisited: Skipped): string[] {
  const reasons = [...new Set(unvisited.map(({ reason }) => reason))].join(', ')
  return unvisited.length === 0
    ? []
    : [`${unvisited.length} links were not followed, since they are ${reasons}; raise the limit to include them.`]
}

function byUrl(a: { url: string }, b: { url: string }): number {
  return a.url < b.url ? -1 : 1
}

function byPage(a: { page: string; product: string }, b: { page: string; product: string }): number {
  if (a.page !== b.page) return a.page < b.page ? -1 : 1
  return a.product < b.product ? -1 : 1
}

/** Returns a key as the report shows it: the path if it belongs to the site, else the URL. */
function pathOf({ site }: Pick<CollectedSite, 'site'>, key: string): string {
  return key.startsWith(site.origin.origin) ? key.slice(site.origin.origin.length) : key
}
