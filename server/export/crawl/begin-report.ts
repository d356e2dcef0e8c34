import type { ExportReport } from '../model/report.ts'
import type { Site } from '../model/site.ts'
import type { CrawlState } from './crawl-state.ts'

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

/** So many links past a limit are named; how many there are says a note. */
export const listedUnvisited = 1000

export function noteUnvisited(unvisited: ExportReport['skipped']): string[] {
  const reasons = [...new Set(unvisited.map(({ reason }) => reason))].join(', ')
  return unvisited.length === 0
    ? []
    : [`${unvisited.length} links were not followed, since they are ${reasons}; raise the limit to have them.`]
}

export function byUrl(a: { url: string }, b: { url: string }): number {
  return a.url < b.url ? -1 : 1
}

/** A key as a reader of the report knows it: the path on the site. */
export function describe(site: Site, key: string): string {
  return key.startsWith(site.origin.origin) ? key.slice(site.origin.origin.length) : key
}
