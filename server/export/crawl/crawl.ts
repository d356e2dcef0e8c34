import type { CrawlState } from './crawl-state.ts'
import { linkKey, linkTarget } from './site.ts'
import { type Candidate, type FetchedPage, keepPage, type VisitContext, visitPage } from './visit-page.ts'

export interface CrawlOptions extends VisitContext {
  starts: URL[]
  /** False when exactly the starts are wanted. */
  followLinks: boolean
  /** Replaces a page whose HTML is not the whole of it; null drops it as a missing one. */
  complete(page: FetchedPage): Promise<FetchedPage | null>
  /** Called after each generation, while the next one is fetched. */
  prepareReview(): void
  /** Called when no link is left; the pages it changed, to be read for further links. */
  review(): Promise<FetchedPage[]>
  onProgress(pagesDone: number, pagesKnown: number): void
}

/**
 * Visits pages generation by generation: the links of one are the next, sorted, so that limits always cut at the same
 * place however the answers arrive. Files are fetched beside.
 */
export async function crawlSite(options: CrawlOptions): Promise<void> {
  const { state, starts, followLinks } = options
  const candidates = new Map<string, Candidate>()
  let frontier = new Set<string>()
  let pagesDone = 0

  function addLink(url: URL) {
    const key = linkKey(url)
    const target = linkTarget(url)
    const known = candidates.get(key)
    if (!known) {
      candidates.set(key, { key, targets: [target], tried: 0 })
      frontier.add(key)
    } else if (known.targets.length < 3 && !known.targets.some(other => other.href === target.href)) {
      known.targets.push(target)
      // The first spelling gave nothing; this one may.
      if (state.pages.get(key)?.state === 'missing') frontier.add(key)
    }
  }

  function keep(page: FetchedPage) {
    const links = keepPage(state, page)
    if (followLinks) for (const link of links) addLink(link)
  }

  async function visit(key: string) {
    const candidate = candidates.get(key)
    const known = state.pages.get(key)
    // A redirect may have led here before the link did.
    if (!candidate || (known && known.state !== 'missing')) return
    // Outside of the queue: a browser needs the queue to answer what the page asks for.
    const page = await state.queue.add(() => visitPage(options, candidate))
    const completed = page && (await options.complete(page))
    if (completed) keep(completed)
    else if (page)
      state.pages.set(page.resource.key, { state: 'missing', reason: 'answers like a page that does not exist' })
    pagesDone += 1
    options.onProgress(pagesDone, candidates.size)
  }

  for (const start of starts) addLink(start)
  for (;;) {
    while (frontier.size > 0) {
      const batch = [...frontier].sort()
      const room = Math.max(0, state.limits.pages - countPages(state))
      frontier = new Set(batch.slice(room))
      if (room === 0) {
        for (const key of frontier) skipForLimit(state, key)
        frontier.clear()
        break
      }
      // Noted before the first request: a redirect to one of these leaves it to its own visit.
      for (const key of batch.slice(0, room)) state.pendingPages.add(key)
      await Promise.all(batch.slice(0, room).map(visit))
      options.prepareReview()
    }
    for (const page of await options.review()) keep(page)
    if (frontier.size === 0) break
  }
  do {
    await Promise.all(state.background)
    await state.queue.idle()
  } while (state.background.size > 0)
}

function countPages(state: CrawlState): number {
  let count = 0
  for (const outcome of state.pages.values()) if (outcome.state === 'page') count += 1
  return count
}

function skipForLimit(state: CrawlState, key: string): void {
  state.pages.set(key, { state: 'skipped', reason: `past the limit of ${state.limits.pages} pages` })
}
