import { linkKey, type Site } from '../crawl/site.ts'
import type { ExportReport } from '../report.ts'
import type { RewriteFindings } from './rewrite-page.ts'

interface Finding {
  reason: string
  pages: Set<string>
}

export interface Findings {
  /** What one page misses is told here. */
  on(path: string): RewriteFindings
  list(): Pick<ExportReport, 'deadLinks' | 'missingFiles'>
}

/** How many of the pages that hold a dead link are named. */
const namedPages = 5

/** Gathers what pages miss, by address, with some of the pages. */
export function createFindings(site: Pick<Site, 'own'>): Findings {
  const dead = new Map<string, Finding>()
  const missing = new Map<string, Finding>()

  function add(to: Map<string, Finding>, name: string, reason: string, path: string) {
    const finding = to.get(name) ?? { reason, pages: new Set() }
    finding.pages.add(path)
    to.set(name, finding)
  }

  const list = (from: Map<string, Finding>) =>
    [...from]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { reason, pages }]) => ({
        name,
        reason,
        count: pages.size,
        pages: [...pages].sort().slice(0, namedPages),
      }))

  return {
    on: path => ({
      deadLink(url, reason) {
        const own = site.own(url)
        add(dead, own ? new URL(linkKey(own)).pathname : url.href, reason, path)
      },
      // The site's own addresses as paths: the host they were fetched from is nobody's business.
      missingFile(url, reason) {
        const own = site.own(url)
        add(missing, own ? own.pathname + own.search : url.href.replace(/#.*$/, ''), reason, path)
      },
    }),
    list: () => ({
      deadLinks: list(dead).map(({ name, ...rest }) => ({ to: name, ...rest })),
      missingFiles: list(missing).map(({ name, ...rest }) => ({ url: name, ...rest })),
    }),
  }
}
