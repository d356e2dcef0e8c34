import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { isRouteKey, routePlace } from '../model/fragment-route.ts'
import type { PageOutcome } from '../model/resource.ts'
import { isTellingQuery, linkKey, linkTarget, queryKey, queryTarget } from '../model/site.ts'
import { type Candidate, sortTargets } from './candidate.ts'
import type { CrawlState } from './crawl-state.ts'
import { createQueryPages } from './query-pages.ts'
import { createRoutePages } from './route-pages.ts'
import { createSlashHabit } from './slash-habit.ts'
import { type FetchedPage, gaveNothing, keepPage, type VisitContext, visitPage } from './visit-page.ts'

export interface CrawlOptions extends Omit<VisitContext, 'onLanding'> {
  starts: URL[]
  /** False when exactly the starts are wanted. */
  followLinks: boolean
  /** Replaces a page whose HTML is not the whole of it; null drops it as a missing one. */
  complete(page: FetchedPage): Promise<FetchedPage | null>
  /** Whether a page shows other pages for other fragments, which are tried: they are given as keys. */
  isApp(key: string, tries: readonly string[]): Promise<boolean>
  /** Gets such a page by its key. */
  showRoute(key: string): Promise<FetchedPage | PageOutcome>
  /** Called after each generation, while the next one is fetched. */
  prepareReview(): void
  /** Called when no link is left: those that nothing but a script leads to. */
  findScriptLinks(isKnown: (key: string) => boolean): Promise<URL[]>
  /** Called when no link is left; the pages it changed, to be read for further links. */
  review(): Promise<FetchedPage[]>
  /** @param pageCount those of the pages done that are pages of the bundle. */
  onProgress(pagesDone: number, pagesKnown: number, pageCount: number): void
}

/** So many links past a limit are remembered beyond those that may still be asked for, to be reported. */
const reportedLinks = 1000
/** `/a`, `/a/`, `/a/index.html`, and one that was assumed. */
const maxSpellings = 4

/**
 * Visits pages generation by generation: the links of one are the next, sorted, so that limits always cut at the same
 * place however the answers arrive. Files are fetched beside.
 *
 * @return whether there were so many links that some were forgotten: neither followed nor noted as left out; and links
 * whose query makes no page of its own.
 */
export async function crawlSite(options: CrawlOptions): Promise<{ isCut: boolean; folded: string[] }> {
  const { state, starts, followLinks } = options
  const { limits } = state
  const candidates = new Map<string, Candidate>()
  let frontier = new Map<string, Candidate>()
  let pagesDone = 0
  let linksAsked = 0
  let isCut = false
  /** While what the site names itself is asked for, in its order. */
  let isFirst = true
  /** Without .html: two spellings of one page become one in the bundle, and the count must not fall in the end. */
  const kept = new Set<string>()

  const queries = createQueryPages(state)
  const routes = createRoutePages(state, options.isApp)
  const slashes = createSlashHabit()
  const context: VisitContext = { ...options, onLanding: (key, url) => void addTarget(key, url) }

  function addLink(url: URL) {
    const key = linkKey(url)
    if (state.queried.has(key) && isTellingQuery(url)) return addTarget(queryKey(url), queryTarget(url))
    if (!addTarget(key, linkTarget(url))) return
    queries.note(url)
    routes.note(url)
  }

  /** False when it is left out. */
  function addTarget(key: string, url: URL): boolean {
    if (isLeftOut(state, key, url)) return false
    const target = url.href
    const known = candidates.get(key)
    if (!known) {
      const candidate = { key, targets: [target], votes: [1], tried: 0 }
      candidates.set(key, candidate)
      frontier.set(key, candidate)
      // What sorts behind all that may still be asked for would never have its turn.
      const removed = keepSmallestKeys(frontier, limits.links - linksAsked + reportedLinks)
      for (const key of removed) candidates.delete(key)
      isCut ||= removed.length > 0
      return true
    }
    const at = known.targets.indexOf(target)
    if (at !== -1) known.votes[at] = (known.votes[at] ?? 0) + 1
    else if (known.targets.length < maxSpellings) {
      known.targets.push(target)
      known.votes.push(1)
      tryFurther(known)
    }
    return true
  }

  /** Where the spellings that were tried gave nothing, another may. */
  function tryFurther(candidate: Candidate) {
    const { key, tried, targets } = candidate
    const outcome = state.pages.get(key)
    if (outcome && gaveNothing(outcome) && tried > 0 && tried < targets.length) frontier.set(key, candidate)
  }

  function keep(page: FetchedPage) {
    const links = keepPage(state, page)
    kept.add(page.resource.key.replace(/\.html$/, ''))
    // One at a time: a page may hold a million links, and a URL takes much more memory than its text.
    for (const link of links) {
      const url = new URL(link)
      if (followLinks) addLink(url)
      else isLeftOut(state, linkKey(url), url)
    }
  }

  /** Pages that their path alone does not tell apart. */
  async function addTold() {
    for (const url of await queries.next()) addTarget(queryKey(url), queryTarget(url))
    for (const route of await routes.next()) addTarget(route, routePlace(route))
  }

  /** Undefined = it is known already: a redirect may have led here before the link did. */
  async function ask(candidate: Candidate): Promise<FetchedPage | null | undefined> {
    const known = state.pages.get(candidate.key)
    if (known && !gaveNothing(known)) return undefined
    if (!isFirst) sortTargets(candidate)
    slashes.apply(candidate)
    const page = await state.queue.add(() => visitPage(context, candidate))
    const asked = candidate.targets[candidate.tried - 1]
    if (page && asked !== undefined) slashes.note(new URL(asked), page.resource.url)
    return page
  }

  async function finish(candidate: Candidate, asked: Promise<FetchedPage | null | undefined>) {
    const page = await asked
    if (page === undefined) return
    if (page === null) tryFurther(candidate)
    // Outside of the queue: a browser needs the queue to answer what the page asks for.
    const completed = page && (await options.complete(page))
    if (completed) keep(completed)
    else if (page)
      state.pages.set(page.resource.key, { state: 'missing', reason: 'answers like a page that does not exist' })
    noteDone()
  }

  /** A page of an app: its key says all. */
  async function visitRoute({ key }: Candidate) {
    const shown = await options.showRoute(key)
    state.pendingPages.delete(key)
    if ('content' in shown) keep(shown)
    else state.pages.set(key, shown)
    if ('to' in shown && isRouteKey(shown.to)) addTarget(shown.to, routePlace(shown.to))
    noteDone()
  }

  function noteDone() {
    pagesDone += 1
    // Until there is a page, nothing is achieved: it may be that there is none.
    if (kept.size > 0) options.onProgress(pagesDone, candidates.size, kept.size)
  }

  for (const start of starts) addLink(start)
  for (;;) {
    while (frontier.size > 0) {
      const sorted = [...frontier.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
      const pagesLeft = limits.pages - countPages(state)
      const linksLeft = limits.links - linksAsked
      const batch = sorted.slice(0, Math.max(0, Math.min(pagesLeft, linksLeft)))
      frontier = new Map(sorted.slice(batch.length).map(candidate => [candidate.key, candidate]))
      if (batch.length === 0) {
        const limit = pagesLeft <= 0 ? `${limits.pages} pages` : `${limits.links} links`
        for (const key of frontier.keys()) leaveUnvisited(state, key, `past the limit of ${limit}`)
        frontier.clear()
        break
      }
      linksAsked += batch.length
      // Noted before the first request: a redirect to one of these leaves it to its own visit.
      for (const { key } of batch) state.pendingPages.add(key)
      const plain = batch.filter(({ key }) => !isRouteKey(key))
      const routed = batch.filter(({ key }) => isRouteKey(key))
      const probe = slashes.probe(plain).map(ask)
      await Promise.all(probe)
      slashes.learn()
      const rest = plain.slice(probe.length).map(ask)
      const asked = [...probe, ...rest]
      await Promise.all([
        ...plain.map((candidate, at) => finish(candidate, asked[at] ?? ask(candidate))),
        ...routed.map(visitRoute),
      ])
      isFirst = false
      slashes.learn()
      options.prepareReview()
      await addTold()
    }
    for (const page of await options.review()) keep(page)
    await addTold()
    if (followLinks && frontier.size === 0)
      for (const link of await options.findScriptLinks(key => candidates.has(key))) addLink(link)
    if (frontier.size === 0) break
  }
  await finishFiles(state)
  return { isCut, folded: queries.folded() }
}

/** Waits until everything that was asked for is there, and what that asks for in turn. */
export async function finishFiles(state: CrawlState): Promise<void> {
  do {
    do {
      await Promise.all(state.background)
      await state.queue.idle()
    } while (state.background.size > 0)
  } while (await state.joinedNames.resolve())
}

/** Whether it is left out by choice, which the report will tell. */
function isLeftOut({ exclusions }: CrawlState, key: string, url: URL): boolean {
  const isLeftOut = exclusions.has(url)
  if (isLeftOut) exclusions.note(key, url)
  return isLeftOut
}

function countPages(state: CrawlState): number {
  let count = 0
  for (const outcome of state.pages.values()) if (outcome.state === 'page') count += 1
  return count
}

/** What is known of a link already, such as that its first spelling leads nowhere, says more than the limit. */
function leaveUnvisited(state: CrawlState, key: string, reason: string): void {
  if (!state.pages.has(key)) state.pages.set(key, { state: 'unvisited', reason })
}
