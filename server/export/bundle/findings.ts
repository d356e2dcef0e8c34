import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { routeKey } from '../model/fragment-route.ts'
import type { ExportReport } from '../model/report.ts'
import type { Site } from '../model/site.ts'
import type { RewriteFindings } from '../rewrite/findings.ts'

interface Finding {
  reason: string
  /** How many pages have it. */
  count: number
  /** The last page that was counted: the findings of one page come in a row. */
  last: string
  /** Some of the pages, sorted. */
  pages: string[]
}

/** Dead links and missing files of a whole bundle. */
export interface Findings {
  /** Collects the findings of one page or file, by its path. */
  on(path: string): RewriteFindings
  list(): Pick<ExportReport, 'deadLinks' | 'missingFiles' | 'notes'>
}

/** Pages named for each dead link and missing file. */
const namedPages = 5
/** Dead links listed, and missing files. */
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
      // The site's own addresses as paths: the origin may be a private host.
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

/** The path of a page, with its fragment where that names it. */
function nameOf(key: string): string {
  const { pathname, hash } = new URL(key)
  return pathname + hash
}
