import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { routeKey } from '../model/fragment-route.ts'
import type { ExportReport } from '../model/report.ts'
import type { Site } from '../model/site.ts'
import type { RewriteFindings } from '../rewrite/findings.ts'

interface Finding {
  reason: string
  /** Number of pages with this finding. */
  count: number
  /** The page counted last. The findings of one page arrive in a row, so this value prevents counting it twice. */
  last: string
  /** Some of the pages, sorted. */
  pages: string[]
}

/** Dead links and missing files of a whole bundle. */
export interface Findings {
  /** Returns the collector for the findings of the page or file at `path`. */
  on(path: string): RewriteFindings
  list(): Pick<ExportReport, 'deadLinks' | 'missingFiles' | 'notes'>
}

/** Max pages named for each dead link or missing file. */
const namedPages = 5
/** Max dead links in the report, and max missing files. */
const listedFindings = 10_000

export function createFindings(site: Pick<Site, 'own'>): Findings {
  const dead = new Map<string, Finding>()
  const missing = new Map<string, Finding>()
  const cut = new Set<Map<string, Finding>>()

  function add(to: Map<string, Finding>, name: string, reason: string, path: string) {
    const finding = to.get(name) ?? { reason, count: 0, last: '', pages: [] }
    if (finding.last === path) return
    finding.count += 1
    finding.last = path
    finding.pages = [...finding.pages, path].sort().slice(0, namedPages)
    to.set(name, finding)
    if (keepSmallestKeys(to, listedFindings).length > 0) cut.add(to)
  }

  const list = (from: Map<string, Finding>) =>
    [...from]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { reason, count, pages }]) => ({ name, reason, count, pages }))

  return {
    on: path => ({
      deadLink(url, reason) {
        const own = site.own(url)
        if (own) own.hash = url.hash
        add(dead, own ? nameOf(routeKey(own)) : url.href, reason, path)
      },
      // Names the site's own files by path: the origin may be a private host.
      missingFile(url, reason) {
        const own = site.own(url)
        add(missing, own ? own.pathname + own.search : url.href.replace(/#.*$/, ''), reason, path)
      },
    }),
    list() {
      const notes: string[] = []
      for (const [what, found] of [['dead links', dead] as const, ['missing files', missing] as const]) {
        if (keepSmallestKeys(found, listedFindings, 1).length > 0 || cut.has(found))
          notes.push(`Only the first ${listedFindings.toLocaleString('en')} ${what} are listed.`)
      }
      return {
        deadLinks: list(dead).map(({ name, ...rest }) => ({ to: name, ...rest })),
        missingFiles: list(missing).map(({ name, ...rest }) => ({ url: name, ...rest })),
        notes,
      }
    },
  }
}

/** Returns the path of a page, plus the fragment if its key has one. */
function nameOf(key: string): string {
  const { pathname, hash } = new URL(key)
  return pathname + hash
}
