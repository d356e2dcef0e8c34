// A long file: the life of a page in a crawl, from the decision to fetch it to the links that it adds.
import { digest } from '../../base/digest.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer } from '../../web/fetch/fetcher.ts'
import { readPageWords } from '../../web/html/page-text.ts'
import { encodeAttribute, headerCharset, readRawText } from '../../web/html/text-encoding.ts'
import { assetKey, isRouteKey, isTellingQuery, linkKey, queryKey, routePlace } from '../model/site.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { ReadTask } from '../pages/page-tasks.ts'
import { type LostPage, listLostPages } from './check-outcome.ts'
import type { CrawlTools, MutableSite } from './crawl-tools.ts'
import { checkTotal, type FileCollector } from './file-collector.ts'
import {
  type Candidate,
  createFrontier,
  createPageLinks,
  type Frontier,
  gaveNothing,
  isServerFailure,
  type NoPage,
  noteExcluded,
  refusedByRobots,
  softMissing,
  sortTargets,
} from './frontier.ts'
import type { MissingPage } from './missing-probe.ts'
import type { FetchedPage, PageCompleter } from './page-completer.ts'
import { createTraps, type Traps } from './traps.ts'

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
  /** Keys of pages that were not visited, because they seem to have no end; see `Traps`. */
  endless: string[]
  /** Returns whether its links say that a reader expects the page; see `LostPage`. */
  isExpected(key: string): boolean
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
  /**
   * Keys without .html, because `/a` and `/a.html` become one page of the bundle. The reported count must not decrease at
   * the end.
   */
  const kept = new Set<string>()
  const slashes = createSlashHabit()
  const traps = createTraps()
  const visits: Visits = { context, frontier, completer, slashes, traps, isFirst: true, keep, onVisited }
  let pagesDone = 0

  function keep(page: FetchedPage, repeats = false): void {
    kept.add(page.resource.key.replace(/\.html$/, ''))
    keepPage(found, files, page)
    const { links: own, navigation } = page.content
    const inNavigation = new Set(navigation)
    // Creates one URL at a time: a page may have a million links, and a URL takes much more memory than its text.
    for (const [at, link] of own.entries()) {
      const url = new URL(link)
      if (repeats && traps.refuses(url)) continue
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
      await visitGeneration(visits, batch)
      completer.startComparisons()
      await links.addDistinguished()
    }
    for (const page of await completer.review()) keep(page)
    await links.addDistinguished()
    if (followLinks && frontier.isEmpty())
      for (const url of await completer.findScriptLinks(frontier.has)) links.add(url)
    if (followLinks && frontier.isEmpty()) {
      await files.finish()
      for (const url of files.takeLinks()) links.add(url)
    }
  } while (!frontier.isEmpty())
  await files.finish()
  const endless = traps.refused().filter(key => !found.pages.has(key))
  for (const key of endless) found.pages.set(key, { state: 'skipped', reason: 'one of endless pages without new text' })
  const lost = listLostPages(found.pages, frontier.isExpected, tools.site)
  return { isCut: frontier.isCut(), folded: links.folded(), lost, endless, isExpected: frontier.isExpected }
}

/** The state of all visits of one crawl. */
interface Visits {
  context: VisitContext
  frontier: Pick<Frontier, 'add' | 'retry'>
  completer: Pick<PageCompleter, 'complete' | 'renderRoute'>
  slashes: SlashHabit
  traps: Traps
  /** Whether this is the first generation: the pages that the site itself lists. Their spellings keep their order. */
  isFirst: boolean
  /** @param repeats see `Traps`. */
  keep(page: FetchedPage, repeats?: boolean): void
  /** Called after each visit, successful or not. */
  onVisited(): void
}

/** Visits the pages of one generation at once. */
async function visitGeneration(visits: Visits, batch: readonly Candidate[]): Promise<void> {
  const { slashes, traps } = visits
  traps.beginGeneration()
  const { plain = [], routes = [] } = Object.groupBy(batch, ({ key }) => (isRouteKey(key) ? 'routes' : 'plain'))
  const asked = new Map<Candidate, Visited>()
  const ask = (candidate: Candidate) => {
    const answer = asked.get(candidate) ?? askFor(visits, candidate)
    asked.set(candidate, answer)
    return answer
  }
  await Promise.all(slashes.probe(plain).map(ask))
  slashes.learn()
  await Promise.all([
    ...plain.map(candidate => finishVisit(visits, candidate, ask(candidate))),
    ...routes.map(candidate => visitRoute(visits, candidate)),
  ])
  visits.isFirst = false
  slashes.learn()
}

type Visited = Promise<FetchedPage | null | undefined>

/** Visits a page. Returns undefined if the page is already known, for example as the target of a redirect. */
async function askFor({ context, slashes, isFirst }: Visits, candidate: Candidate): Visited {
  const { tools, found } = context
  const known = found.pages.get(candidate.key)
  if (known && !gaveNothing(known)) return undefined
  if (!isFirst) sortTargets(candidate)
  slashes.apply(candidate)
  const page = await tools.queue.add(() => visitPage(context, candidate))
  const asked = candidate.targets[candidate.tried - 1]
  if (page && asked !== undefined) slashes.note(new URL(asked), page.resource.url)
  return page
}

async function finishVisit(visits: Visits, candidate: Candidate, asked: Visited): Promise<void> {
  const { context, frontier, completer } = visits
  const page = await asked
  if (page === undefined) return
  if (page === null) frontier.retry(candidate)
  // Runs outside the queue, because the browser needs the queue for the requests of the page.
  const completed = page && (await completer.complete(page))
  if (completed) visits.keep(completed, await visits.traps.repeats(completed.resource))
  else if (page) context.found.pages.set(page.resource.key, softMissing)
  visits.onVisited()
}

async function visitRoute({ context, frontier, completer, keep, onVisited }: Visits, { key }: Candidate) {
  const shown = await completer.renderRoute(key)
  if ('content' in shown) keep(shown)
  else context.found.pages.set(key, shown)
  if ('to' in shown && isRouteKey(shown.to)) frontier.add(shown.to, routePlace(shown.to))
  onVisited()
}

/** Learns whether a site redirects `/guide` to `/guide/`. Static hosts with a separate folder for each page do this. */
interface SlashHabit {
  /**
   * Returns the pages of a generation to visit first, to learn the habit. Returns none when the habit is known, or when it
   * would save few redirects.
   */
  probe(batch: readonly Candidate[]): readonly Candidate[]
  /** Records the URL requested for a page, and the URL where it was found. */
  note(asked: URL, found: URL): void
  /** Decides from the recorded URLs. Called between visits, to make requests independent of the order of the answers. */
  learn(): void
  /** Adds the spelling with a slash, to save the redirect. */
  apply(candidate: Candidate): void
}

const probeSize = 8
/** Min redirected pages that prove the habit, if no page was found without a slash. */
const minRedirects = 3

export function createSlashHabit(): SlashHabit {
  let redirected = 0
  let stayed = 0
  let hasHabit = false
  return {
    probe(batch) {
      if (redirected + stayed >= minRedirects) return []
      const plain = batch.filter(({ targets: [target = ''] }) => {
        const url = URL.parse(target)
        return url !== null && mayGetSlash(url)
      })
      return plain.length > probeSize ? plain.slice(0, probeSize) : []
    },
    note(asked, found) {
      if (!mayGetSlash(asked)) return
      if (found.pathname === `${asked.pathname}/`) redirected += 1
      else if (found.pathname === asked.pathname) stayed += 1
    },
    learn() {
      hasHabit = redirected >= minRedirects && stayed === 0
    },
    apply(candidate) {
      const url = hasHabit && candidate.tried === 0 ? URL.parse(candidate.targets[0] ?? '') : null
      if (!url || !mayGetSlash(url)) return
      url.pathname += '/'
      if (candidate.targets.includes(url.href)) return
      candidate.targets.unshift(url.href)
      candidate.votes.unshift(0)
      candidate.assumed = url.href
    },
  }
}

/** Decides whether a slash may be added. Returns false for files and for URLs with a query. */
function mayGetSlash({ pathname, search }: URL): boolean {
  return search === '' && !pathname.endsWith('/') && !pathname.slice(pathname.lastIndexOf('/')).includes('.')
}

/** Tries the spellings of a page in turn, and records the outcome unless it is a page. */
async function visitPage(context: VisitContext, candidate: Candidate): Promise<FetchedPage | null> {
  // Spellings added during this visit wait for the next generation, because their timing depends on the order of the
  // answers.
  for (let left = candidate.targets.length - candidate.tried; left > 0; left -= 1) {
    const target = candidate.targets[candidate.tried]
    candidate.tried += 1
    if (!target) break
    const isAssumed = target === candidate.assumed
    const result = await fetchPage(context, { target: new URL(target), key: candidate.key, isAssumed })
    if ('resource' in result) return result
    if (isAssumed) continue
    // A spelling that is not known does not prove that the page does not exist.
    const isLost = context.found.pages.get(candidate.key)?.state === 'failed' && result.state === 'missing'
    if (!isLost) context.found.pages.set(candidate.key, result)
    if (!gaveNothing(result)) break
  }
  return null
}

/** The values shared by all visits of one crawl. */
interface VisitContext {
  tools: CrawlTools
  found: MutableSite
  files: Pick<FileCollector, 'keepAnswer'>
  missing: MissingPage
  /** The words of the soft 404 page; null when the site returns a proper 404. */
  missingContent: ReadTask['missing']
  startKey: string
  /**
   * Called with the target page of a redirect. The crawl visits it separately, because several redirects may share a
   * target.
   */
  onLanding(key: string, url: URL): void
}

interface PageRequest {
  /** The spelling to try. */
  target: URL
  key: string
  /** Whether no link uses this spelling. */
  isAssumed: boolean
}

/** Fetches and reads a page. If the link leads to a file, fetches the file instead. */
export async function fetchPage(context: VisitContext, request: PageRequest): Promise<FetchedPage | NoPage> {
  const { tools, files } = context
  if (!tools.isAllowed(request.target)) return refusedByRobots
  try {
    const answer = await tools.fetcher.open(request.target, 'text/html,application/xhtml+xml,*/*;q=0.8')
    tools.loginWatch.noteAnswer(request.key, request.target, answer)
    const landed = checkAnswer(context, request, answer)
    if ('state' in landed) {
      await answer.drop()
      return landed
    }
    if (isPage(answer)) return await readPage(context, request.key, answer, landed)
    const key = assetKey(landed)
    await files.keepAnswer(answer, key)
    return { state: 'file', key }
  } catch (error) {
    return explainFailure(tools, error)
  }
}

function isPage({ type }: Answer): boolean {
  return type === 'text/html' || type === 'application/xhtml+xml'
}

/** Returns the final URL of a page or file to keep, or the outcome when there is nothing to keep. */
function checkAnswer(context: VisitContext, { target, key, isAssumed }: PageRequest, answer: Answer): URL | NoPage {
  const { tools, missing, startKey } = context
  const { site } = tools
  const { status, redirected } = answer
  if (isAssumed && (redirected || status !== 200 || !isPage(answer)))
    return { state: 'missing', reason: 'not found at this address' }
  const url = site.own(answer.url)
  if (!url) return { state: 'elsewhere', url: answer.url }
  if (redirected && !tools.isAllowed(url)) return refusedByRobots
  if (isServerFailure(status)) return { state: 'failed', reason: `status ${status}` }
  if (status !== 200) return { state: 'missing', reason: `status ${status}` }
  const landed = redirected ? landedKey(context.found, { target, key }, url) : key
  if (landed === key) return url
  const sendsMissing = missing.status === 200 && linkKey(missing.url) !== linkKey(missing.asked)
  if (sendsMissing && landed === linkKey(missing.url) && key !== startKey)
    return { state: 'missing', reason: 'redirected to the not-found page' }
  if (!site.inScope(url)) return { state: 'skipped', reason: `outside of ${site.origin.pathname}` }
  context.onLanding(landed, url)
  return { state: 'redirect', to: landed }
}

/** Returns the key of the target page of a redirect. Two queries of one path may be two pages. */
function landedKey(
  { queried }: Pick<MutableSite, 'queried'>,
  { target, key }: Pick<PageRequest, 'target' | 'key'>,
  url: URL,
): string {
  const plain = linkKey(url)
  const isWithinPath = plain === linkKey(target) && plain !== key
  return (isWithinPath || queried.has(plain)) && isTellingQuery(url) ? queryKey(url) : plain
}

async function readPage(
  { tools, missingContent, startKey }: VisitContext,
  key: string,
  answer: Answer,
  url: URL,
): Promise<FetchedPage | NoPage> {
  const { type } = answer
  const body = await answer.read(tools.limits.pageBytes)
  checkTotal(tools)
  const { refresh } = answer.headers
  const bytes = refresh ? addRefresh(body, refresh) : body
  tools.loginWatch.notePage(key, bytes, () => readPageWords(readRawText(bytes, headerCharset(answer.contentType))))
  const content = await tools.pool.read({
    bytes,
    charset: headerCharset(answer.contentType),
    isXhtml: type === 'application/xhtml+xml',
    url: url.href,
    isRendered: false,
    missing: key === startKey ? null : missingContent,
  })
  if (content.isMissing) return softMissing
  tools.products.note(key, content.products)
  const { charset, span, sizeBytes, sha256, marks } = content
  const stored = { file: span.file, span, sizeBytes, sha256, rendered: false }
  const { scripts } = content.text
  const template = digest(scripts.join(' '))
  return {
    content,
    resource: { key, url, kind: 'page', type, charset, ...stored, hasScripts: scripts.length > 0, template, marks },
  }
}

/** Writes a `Refresh` header into the page, because a bundle has no headers. */
function addRefresh(body: Buffer, refresh: string): Buffer {
  const text = body.toString('latin1')
  const head = /<head(?:\s[^<>]*)?>/i.exec(text) ?? /^\s*<!doctype[^>]*>/i.exec(text)
  const at = head ? head.index + head[0].length : 0
  const meta = `<meta http-equiv="refresh" content="${encodeAttribute(refresh, 'utf-8')}">`
  return Buffer.from(text.slice(0, at) + meta + text.slice(at), 'latin1')
}

/** Turns an error into the outcome of a page. Throws errors that concern more than this page. */
function explainFailure({ site, exclusions }: CrawlTools, error: unknown): NoPage {
  if (error instanceof PageWorkError) return { state: 'failed', reason: error.message }
  if (!(error instanceof FetchError)) throw error
  const { code, redirectedTo, message } = error
  if (code === 'too_large' || (code === 'excluded' && !redirectedTo)) return { state: 'skipped', reason: message }
  if (code === 'excluded' && redirectedTo) {
    exclusions.note(linkKey(redirectedTo), redirectedTo)
    return { state: 'redirect', to: linkKey(redirectedTo) }
  }
  const isPassing = code === 'network' || code === 'timeout'
  // The link leads to another site even if that site cannot be reached now.
  const isElsewhere = redirectedTo && !site.own(redirectedTo) && (isPassing || code === 'certificate')
  if (redirectedTo && isElsewhere) return { state: 'elsewhere', url: redirectedTo }
  return { state: isPassing ? 'failed' : 'missing', reason: message }
}

/** Keeps a page and requests its files. */
export function keepPage(
  { pages }: Pick<MutableSite, 'pages'>,
  files: Pick<FileCollector, 'need' | 'needOfPrograms'>,
  { resource, content }: FetchedPage,
): void {
  pages.set(resource.key, { state: 'page', resource })
  for (const { url, role } of content.assets) {
    // A rendered page keeps no scripts.
    if (role !== 'script' || !resource.rendered) files.need(new URL(url), role)
  }
  if (!resource.rendered) files.needOfPrograms({ resource, content })
}
