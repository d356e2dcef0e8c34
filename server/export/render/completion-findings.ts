import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { ExportReport } from '../model/report.ts'
import { appKey } from '../model/site.ts'
import type { PageViews } from './page-views.ts'
import type { ScriptLinks } from './script-links.ts'

/** Findings about rendering for the report; pages by key. */
export interface CompletionFindings {
  rendered: Set<string>
  compared: Set<string>
  /** Pages that are built by scripts and could not be shown by a browser. */
  empty: Set<string>
  /** Pages with an API reference of which not all collapsed parts could be opened. */
  collapsed: Set<string>
  /** Pages whose API reference no browser could show, so that it was removed. */
  lostReferences: Set<string>
  /** Pages that were opened to copy the panels of their tabs. */
  tabbed: Set<string>
  /** Pages with tabs whose panels were not copied, because there were too many. */
  closedTabs: Set<string>
  /** Whether the pages of the site differ only in fragments such as #!/page. */
  hasOldRoutes: boolean
}

interface Described {
  apps: CollectedSite['apps']
  limits: ExportLimits
  /** Whether pages whose HTML seems complete were also compared. */
  compares: boolean
  views: Pick<PageViews, 'isAvailable' | 'cut'>
  /** Whether a browser is installed that cannot be started. */
  hasFailedBrowser: boolean
  scriptLinks: Pick<ScriptLinks, 'found'>
}

/** Returns the part of the report about rendering. */
export function describeFindings(
  findings: CompletionFindings,
  described: Described,
): Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'> {
  const { rendered, compared, empty, collapsed, lostReferences } = findings
  const { limits, views } = described
  return {
    renderedPages: [...rendered],
    comparedPages: [...compared],
    notes: [
      ...noteChecks(findings, described),
      ...noteScriptLinks(described.scriptLinks),
      ...noteApps(rendered, described.apps),
      ...noteTabs(findings),
      ...[...empty]
        .sort()
        .map(key => `${nameOf(key)} may be incomplete: its scripts build it, and no browser could show it.`),
      ...[...lostReferences]
        .sort()
        .map(key => `The API reference ${nameOf(key)} is missing in the bundle: none appeared in the browser.`),
      ...[...collapsed]
        .sort()
        .map(
          key => `The API reference ${nameOf(key)} has too many collapsed parts: some are still closed in the bundle.`,
        ),
      ...[...views.cut]
        .sort()
        .map(
          key => `${nameOf(key)} asks for more than ${limits.pageRequests} files in a browser; the rest was refused.`,
        ),
    ],
  }
}

const failedBrowser =
  'Chromium could not be started on the machine of the export: no page was checked in a browser. On that machine, npx quire doctor says why.'

function noteChecks({ hasOldRoutes }: CompletionFindings, { views, compares, hasFailedBrowser }: Described): string[] {
  const notes: string[] = []
  if (hasFailedBrowser) notes.push(failedBrowser)
  else if (!views.isAvailable) notes.push('No Chromium was found: no page was checked in a browser.')
  else if (!compares) notes.push('Only files were checked (verify: static): no page was checked in a browser.')
  if (hasOldRoutes)
    notes.push('The pages of the site differ only in a fragment such as #!/page; only the first page was exported.')
  return notes
}

function noteScriptLinks(scriptLinks: Pick<ScriptLinks, 'found'>): string[] {
  const { pages, opened } = scriptLinks.found()
  const [first] = pages
  if (first === undefined) return []
  const isOne = pages.length === 1
  const found = isOne
    ? `1 page is linked only from content that scripts add: ${nameOf(first)}.`
    : `${pages.length} pages are linked only from content that scripts add, such as ${nameOf(first)}.`
  if (opened.length === 0) return [found]
  const more = opened.length === 1 ? '1 more page' : `${opened.length} more pages`
  return [`${found} To find ${isOne ? 'it' : 'them'}, Quire opened ${more} in a browser.`]
}

function noteTabs({ closedTabs }: CompletionFindings): string[] {
  const [first] = [...closedTabs].sort()
  if (first === undefined) return []
  const pages = closedTabs.size === 1 ? '1 page' : `${closedTabs.size} pages`
  return [`The tabs of ${pages}, such as ${nameOf(first)}, work only where the site's scripts run.`]
}

function noteApps(rendered: ReadonlySet<string>, apps: CollectedSite['apps']): string[] {
  return [...apps.keys()].sort().map(key => {
    const count = [...rendered].filter(page => appKey(page) === key).length
    return `${nameOf(key)} shows ${count} pages by fragments (#/page): at the root of a host, the site's scripts show them; elsewhere, each is a separate page.`
  })
}

function nameOf(key: string): string {
  const { pathname, hash } = new URL(key)
  return pathname + hash
}
