import type { AgentUse } from '../agents/agent-list.ts'
import { parseAgentKey } from '../agents/agent-use.ts'
import { type FailedPage, type Failure, isBeyond } from '../failed-pages.ts'

/** Pages that visitors asked for and did not get. These requests are not page views, and count for no total. */
export type FailedReport = Record<Failure, FailedPages>

export interface FailedPages {
  /** Visitors with at least one such page, also of those that are not listed. */
  human: number
  ai: number
  /** Visitors of pages beyond the bounds, which are counted but not listed. */
  unlisted: { human: number; ai: number }
  /** By visitors in descending order. */
  pages: FailedPageRow[]
}

export interface FailedPageRow {
  path: string
  human: number
  ai: number
  /** Where the people came from; those without a referrer are not in the list. */
  sites: { site: string; visitors: number }[]
  agents: { agent: string; use: AgentUse; visitors: number }[]
}

/** Collects the counts of failed pages. */
export class FailedCollector {
  readonly #report: FailedReport = { missing: createPages(), broken: createPages() }
  readonly #rows = new Map<string, FailedPageRow>()

  add({ kind, failure, path, from }: FailedPage, visitors: number): void {
    const found = this.#report[failure]
    if (path === undefined) found[kind] = visitors
    else if (isBeyond(path)) found.unlisted[kind] = visitors
    else {
      const row = this.#find(found.pages, failure, path)
      if (from === undefined) row[kind] = visitors
      else if (kind === 'human') row.sites.push({ site: from, visitors })
      else row.agents.push({ ...parseAgentKey(from), visitors })
    }
  }

  finish(): FailedReport {
    for (const { pages } of Object.values(this.#report)) {
      pages.sort((a, b) => b.human + b.ai - a.human - a.ai || compareTexts(a.path, b.path))
      for (const { sites, agents } of pages) {
        sites.sort((a, b) => b.visitors - a.visitors || compareTexts(a.site, b.site))
        agents.sort((a, b) => b.visitors - a.visitors || compareTexts(a.agent, b.agent))
      }
    }
    return this.#report
  }

  #find(pages: FailedPageRow[], failure: Failure, path: string): FailedPageRow {
    const key = failure + path
    let row = this.#rows.get(key)
    if (!row) {
      row = { path, human: 0, ai: 0, sites: [], agents: [] }
      this.#rows.set(key, row)
      pages.push(row)
    }
    return row
  }
}

function createPages(): FailedPages {
  return { human: 0, ai: 0, unlisted: { human: 0, ai: 0 }, pages: [] }
}

/** Compares by code units, which does not depend on the language of the system. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
