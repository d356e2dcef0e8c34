import type { CollectedSite } from '../crawl/collected-site.ts'
import { appKey } from '../model/fragment-route.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { ExportReport } from '../model/report.ts'
import type { PageViews } from './page-views.ts'
import type { ScriptLinks } from './script-links.ts'

/** Findings about rendering for the report; pages by key. */
export interface CompletionFindings {
  rendered: Set<string>
  compared: Set<string>
  /** Pages that are built by scripts and could not be shown by a browser. */
  empty: Set<string>
  /** Whether the pages of the site differ only in fragments such as #!/page. */
  hasOldRoutes: boolean
}

interface Described {
  apps: CollectedSite['apps']
  limits: ExportLimits
  /** Whether pages whose HTML seems complete were also compared. */
  compares: boolean
  views: Pick<PageViews, 'isAvailable' | 'cut'>
  scriptLinks: Pick<ScriptLinks, 'found'>
}

/** Returns the part of the report about rendering. */
export function describeFindings(
  findings: CompletionFindings,
  described: Described,
): Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'> {
  const { rendered, compared, empty } = findings
  const { limits, views } = described
  return {
    renderedPages: [...rendered],
    comparedPages: [...compared],
    notes: [
      ...noteChecks(findings, described),
      ...noteScriptLinks(described.scriptLinks),
      ...noteApps(rendered, described.apps),
      ...[...empty]
        .sort()
        .map(key => `${nameOf(key)} may be incomplete: its scripts build it, and no browser could show it.`),
      ...[...views.cut]
        .sort()
        .map(
          key => `${nameOf(key)} asks for more than ${limits.pageRequests} files in a browser; the rest was refused.`,
        ),
    ],
  }
}

function noteChecks({ hasOldRoutes }: CompletionFindings, { views, compares }: Described): string[] {
  const notes: string[] = []
  if (!views.isAvailable) notes.push('No Chromium was found: no page was compared with what a browser shows.')
  else if (!compares)
    notes.push('Only files were checked (verify: static): no page was compared with what a browser shows.')
  if (hasOldRoutes)
    notes.push('The site tells its pages apart by fragments such as #!/page; only its first page is here.')
  return notes
}

function noteScriptLinks(scriptLinks: Pick<ScriptLinks, 'found'>): string[] {
  const { pages, opened } = scriptLinks.found()
  if (pages[0] === undefined) return []
  const which = `linked only from content that scripts add to other pages, such as ${nameOf(pages[0])}`
  const more = opened.length > 0 ? `; to find these, further pages were opened in a browser: ${opened.length}` : ''
  return [`Pages ${which}: ${pages.length}${more}.`]
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
