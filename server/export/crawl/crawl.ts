import { linkKey } from '../model/site.ts'
import { type LostPage, listLostPages } from './expected-pages.ts'
import type { VisitContext } from './fetch-page.ts'
import type { FileCollector } from './file-collector.ts'
import { createFrontier, noteExcluded } from './frontier.ts'
import { createGenerationVisitor } from './generation.ts'
import { keepPage } from './keep-page.ts'
import type { FetchedPage, PageCompleter } from './page-completer.ts'
import { createPageLinks } from './page-links.ts'

export interface CrawlOptions extends Omit<VisitContext, 'onLanding' | 'files'> {
  files: FileCollector
  completer: PageCompleter
  starts: readonly URL[]
  /** False when only the starts are exported. */
  followLinks: boolean
  /** @param pageCount number of visited pages that the bundle contains. */
  onProgress(pagesDone: number, pagesKnown: number, pageCount: number): void
}

export interface CrawlResult {
  /** Whether links were dropped because there were too many; see `Frontier`. */
  isCut: boolean
  /** Links whose query does not select a separate page. */
  folded: string[]
  lost: LostPage[]
}

/**
 * Visits pages generation by generation, and fetches their files at the same time. The links of one generation, sorted,
 * form the next generation. A limit therefore always cuts at the same place, in any order of the answers.
 */
export async function crawlSite(options: CrawlOptions): Promise<CrawlResult> {
  const { tools, found, files, completer, starts, followLinks } = options
  const { limits, exclusions } = tools
  const frontier = createFrontier({ limits, exclusions, pages: found.pages })
  const links = createPageLinks({ tools, found, frontier, completer })
  const context = { ...options, onLanding: (key: string, url: URL) => void frontier.add(key, url) }
  const generations = createGenerationVisitor({ context, frontier, completer, keep, onVisited })
  /**
   * Keys without .html, because `/a` and `/a.html` become one page of the bundle. The reported count must not decrease at
   * the end.
   */
  const kept = new Set<string>()
  let pagesDone = 0

  function keep(page: FetchedPage): void {
    kept.add(page.resource.key.replace(/\.html$/, ''))
    keepPage(found, files, page)
    const { links: own, navigation } = page.content
    const inNavigation = new Set(navigation)
    // Creates one URL at a time: a page may have a million links, and a URL takes much more memory than its text.
    for (const [at, link] of own.entries()) {
      const url = new URL(link)
      if (followLinks) links.add(url, inNavigation.has(at))
      else noteExcluded(exclusions, linkKey(url), url)
    }
  }

  function onVisited(): void {
    pagesDone += 1
    // Reports no progress before the first page: the site may have no pages.
    if (kept.size > 0) options.onProgress(pagesDone, frontier.size(), kept.size)
  }

  for (const start of starts) links.add(start, true)
  do {
    for (let batch = frontier.take(); batch.length > 0; batch = frontier.take()) {
      await generations.visit(batch)
      completer.startComparisons()
      await links.addDistinguished()
    }
    for (const page of await completer.review()) keep(page)
    await links.addDistinguished()
    if (followLinks && frontier.isEmpty())
      for (const url of await completer.findScriptLinks(frontier.has)) links.add(url)
  } while (!frontier.isEmpty())
  await files.finish()
  const lost = listLostPages(found.pages, frontier.isExpected, tools.site)
  return { isCut: frontier.isCut(), folded: links.folded(), lost }
}
