import type { CrawlState } from './crawl/crawl-state.ts'
import type { Deployment } from './model/features.ts'
import type { Site } from './model/site.ts'
import type { ProductCount } from './products/product-removal.ts'
import type { PackedSearch } from './search/index-bundle.ts'
import type { Difference } from './verify/choose-scripts.ts'
import type { ScriptFindings } from './verify/place-scripts.ts'

/** What an export did and could not do. No times in it: the same site gives the same report. Lists are sorted. */
export interface ExportReport {
  domain: string
  version: string | null
  deployment: Deployment
  pages: number
  /** Pages that a browser rendered; they are kept as they looked then, without the site's own scripts. */
  renderedPages: string[]
  /** Whether a browser confirmed that the server's HTML holds what a reader sees. */
  comparedPages: string[]
  files: number
  redirects: { from: string; to: string }[]
  /** Links to pages of the site that are not in the bundle, with some of the pages that hold them. */
  deadLinks: { to: string; reason: string; count: number; pages: string[] }[]
  /** Files that pages need and that could not be had. */
  missingFiles: { url: string; reason: string; count: number; pages: string[] }[]
  /** Pages left out although something leads to them. */
  skipped: { url: string; reason: string }[]
  /** Pages left out by choice, with the pattern that says so; links to them lead to the public site. */
  excludedPages: { url: string; pattern: string }[]
  /** Products of others that were taken out of pages because their feature is off, or the site's settings say so. */
  removedFeatures: ProductCount[]
  /** Those that stay; they are still loaded from their vendors. */
  keptFeatures: ProductCount[]
  packedThirdParty: string[]
  removedThirdParty: { url: string; reason: string }[]
  /** What the check of the finished bundle found: addresses that do not resolve inside it. */
  unresolved: { page: string; address: string }[]
  /** The search that was packed because it was asked for; null = none. */
  offlineSearch: PackedSearch | null
  /** Where the site's own scripts run in the bundle, and why not everywhere. */
  scripts: Pick<ScriptFindings, 'mode' | 'reason' | 'decidedBy' | 'checkedPages'>
  /** Pages of those that a browser opened that are not what they are at the origin. */
  differences: Difference[]
  notes: string[]
}

/** The report as it goes into the bundle. */
export function writeReport(report: ExportReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}

/** What was packed and what was not of other hosts; what the check of the bundle missed comes last. */
export function listThirdParties(state: CrawlState): Pick<ExportReport, 'packedThirdParty' | 'removedThirdParty'> {
  const packedThirdParty: string[] = []
  const removedThirdParty: ExportReport['removedThirdParty'] = []
  for (const [key, outcome] of state.files) {
    if (state.site.own(new URL(key))) continue
    if (outcome.state === 'file') packedThirdParty.push(key)
    else if (!state.guesses.has(key)) removedThirdParty.push({ url: key, reason: outcome.reason })
  }
  return { packedThirdParty: packedThirdParty.sort(), removedThirdParty: removedThirdParty.sort(byUrl) }
}

/** What is known when everything is fetched; the lists about links follow when the bundle is written. */
export function beginReport(
  options: Pick<ExportReport, 'domain' | 'version' | 'deployment'>,
  state: CrawlState,
  rendering: Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'>,
): ExportReport {
  const name = (key: string) => describe(state.site, key)
  const skipped: ExportReport['skipped'] = []
  const unvisited: ExportReport['skipped'] = []
  for (const [key, outcome] of state.pages) {
    if (outcome.state === 'skipped' || outcome.state === 'failed')
      skipped.push({ url: name(key), reason: outcome.reason })
    else if (outcome.state === 'unvisited') unvisited.push({ url: name(key), reason: outcome.reason })
  }
  skipped.push(...unvisited.sort(byUrl).slice(0, listedUnvisited))
  const keptPages = [...state.pages].flatMap(([key, { state }]) => (state === 'page' ? [key] : []))
  return {
    domain: options.domain,
    version: options.version,
    deployment: options.deployment,
    pages: [...state.pages.values()].filter(outcome => outcome.state === 'page').length,
    files: state.files.size,
    renderedPages: rendering.renderedPages.map(name).sort(),
    comparedPages: rendering.comparedPages.map(name).sort(),
    notes: [...rendering.notes, ...noteUnvisited(unvisited), ...state.exclusions.notes()],
    redirects: [],
    deadLinks: [],
    missingFiles: [],
    skipped: skipped.sort(byUrl),
    excludedPages: state.exclusions.list().map(({ key, pattern }) => ({ url: name(key), pattern })),
    ...state.products.count(keptPages),
    ...listThirdParties(state),
    unresolved: [],
    offlineSearch: null,
    scripts: { mode: 'none', reason: null, decidedBy: 'rule', checkedPages: [] },
    differences: [],
  }
}

/** So many links past a limit are named; how many there are says a note. */
const listedUnvisited = 1000

function noteUnvisited(unvisited: ExportReport['skipped']): string[] {
  const reasons = [...new Set(unvisited.map(({ reason }) => reason))].join(', ')
  return unvisited.length === 0
    ? []
    : [`${unvisited.length} links were not followed, since they are ${reasons}; raise the limit to have them.`]
}

function byUrl(a: { url: string }, b: { url: string }): number {
  return a.url < b.url ? -1 : 1
}

/** A key as a reader of the report knows it: the path on the site. */
function describe(site: Site, key: string): string {
  return key.startsWith(site.origin.origin) ? key.slice(site.origin.origin.length) : key
}
