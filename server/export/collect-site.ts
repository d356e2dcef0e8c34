import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../base/queue.ts'
import { createProductRemoval, type ProductRemoval } from '../products/product-removal.ts'
import type { BrowserTabs } from '../web/browser/browser-tabs.ts'
import type { Fetcher } from '../web/fetch/fetcher.ts'
import type { Pace } from '../web/fetch/host-turns.ts'
import { readPageWords } from '../web/html/page-text.ts'
import { readRawText } from '../web/html/text-encoding.ts'
import { createViewCache, noViewCache } from './cache/view-cache.ts'
import { beginReport } from './crawl/begin-report.ts'
import { checkOutcome } from './crawl/check-outcome.ts'
import { createMutableSite } from './crawl/collected-site.ts'
import type { Collection } from './crawl/collection.ts'
import { type CrawlOptions, type CrawlResult, crawlSite } from './crawl/crawl.ts'
import type { CrawlTools } from './crawl/crawl-tools.ts'
import { type Discovered, discoverSite } from './crawl/discover.ts'
import { checkExpected, noteLosses } from './crawl/expected-pages.ts'
import { createFileCollector } from './crawl/file-collector.ts'
import type { MissingPage } from './crawl/missing-probe.ts'
import { maxFolded } from './crawl/query-pages.ts'
import type { Exclusions } from './model/exclusions.ts'
import { type ExportOptions, obeysRobots } from './model/options.ts'
import { isPageFile, linkKey, type Site } from './model/site.ts'
import type { PagePool } from './pages/page-pool.ts'
import type { ReadTask } from './pages/page-tasks.ts'
import { createAnswerer } from './render/answer-browser.ts'
import { type BrowserCompleter, createPageCompleter } from './render/page-completer.ts'

export interface CollectDeps {
  site: Site
  tabs: BrowserTabs | null
  exclusions: Exclusions
  fetcher: Fetcher
  pool: PagePool
  pace: Pace
  signal: AbortSignal
  /** Ends the whole export. */
  abort(error: unknown): void
}

/**
 * Fetches all pages and files into the work folder, and begins the report.
 *
 * @throws {ExportError} when too little was found for a bundle.
 */
export async function collectSite(options: ExportOptions, deps: CollectDeps): Promise<Collection> {
  const { site, exclusions, fetcher, pace, signal } = deps
  const { limits, onProgress, paths, log } = options
  onProgress({ stage: 'discover', pagesDone: 0, pagesKnown: 0, pageCount: 0 })
  const obeyRobots = obeysRobots(options)
  const discovered = await discoverSite({ site, fetcher, pace, obeyRobots, wantPages: paths === null })
  const tools = await createTools(options, deps, discovered)
  const starts = listStarts(options, site, discovered.pages)
  const start = starts[0] ?? site.origin
  const found = createMutableSite({ site, start, exclusions, products: tools.products })
  const files = createFileCollector(tools, found)
  const missing = withoutProducts(discovered.missing, tools.products)
  const startKey = linkKey(start)
  const compares = options.verify !== 'static'
  const shared = { tools, found, files, missing, startKey }
  const answer = createAnswerer(tools, files)
  const completer = createPageCompleter({ ...shared, answer, compares, signal, log })
  // Browsers request /favicon.ico by default.
  files.need(new URL('/favicon.ico', site.origin), 'asset')
  const crawl = { ...shared, starts, missingContent: readMissing(missing), followLinks: paths === null }
  const crawled = await crawlWith(completer, options, crawl)
  // A check of the bundle uses the same browser.
  if (!compares) await deps.tabs?.close()
  signal.throwIfAborted()
  checkOutcome(found, limits, paths === null ? null : starts)
  const losses = { pages: crawled.lost, lists: discovered.lostLists }
  if (!options.allowLoss) checkExpected(losses, site)
  const report = beginReport(options, found, completer.findings())
  // What is lost comes first, because a summary shows only the first notes.
  report.notes = [...noteLosses(losses), ...report.notes, ...noteCrawl(crawled)]
  return { collected: found, report, tools, files, answer, looks: completer.looks }
}

async function createTools(
  options: ExportOptions,
  { site, exclusions, fetcher, pool, tabs, abort }: CollectDeps,
  { isAllowed }: Discovered,
): Promise<CrawlTools> {
  const { limits, reuse } = options
  const folder = join(options.workFolder, 'fetched')
  await mkdir(folder, { recursive: true })
  return {
    ...{ site, exclusions, fetcher, pool, tabs, limits, folder, isAllowed, abort },
    // The turns of the hosts decide how many requests are under way. Others wait before a retry.
    queue: createQueue(2 * limits.connections),
    products: createProductRemoval(options.features, options.removal ?? null, site, tabs !== null),
    views: reuse ? createViewCache(reuse) : noViewCache,
  }
}

/** Lists the pages where the crawl starts. The first one becomes the start page of the bundle. */
function listStarts({ origin, paths }: ExportOptions, site: Site, listed: readonly string[]): URL[] {
  if (paths !== null) return paths.map(path => new URL(path, site.origin))
  const pages = listed.flatMap(address => {
    const url = URL.parse(address)
    const own = url && site.own(url)
    if (own && url) own.hash = url.hash
    return own && site.inScope(own) ? [own] : []
  })
  // An origin may name a page. That page then becomes the start page of the bundle. The spelling of the origin is tried,
  // too: some servers know only /guide and not /guide/.
  return [isPageFile(origin) ? origin : site.origin, site.origin, origin, ...pages]
}

/**
 * Returns the words of the soft 404 page; null for a proper 404, and when the site redirects missing pages to another page.
 */
function readMissing({ body, url, asked }: MissingPage): ReadTask['missing'] {
  if (!body || linkKey(url) !== linkKey(asked)) return null
  return { words: readPageWords(readRawText(body, null)), asked: asked.href }
}

function crawlWith(
  completer: BrowserCompleter,
  { onProgress }: ExportOptions,
  crawl: Omit<CrawlOptions, 'completer' | 'onProgress'>,
): Promise<CrawlResult> {
  let pagesKnown = 0
  return crawlSite({
    ...crawl,
    completer,
    onProgress(pagesDone, known, pageCount) {
      pagesKnown = Math.max(pagesKnown, known)
      onProgress({ stage: completer.isRendering() ? 'render' : 'fetch', pagesDone, pagesKnown, pageCount })
    },
  })
}

function noteCrawl({ isCut, folded }: CrawlResult): string[] {
  const cut = 'The site has more links than the memory limit allows: some were neither followed nor listed.'
  return [...noteFolded(folded), ...(isCut ? [cut] : [])]
}

/** Notes dropped queries for the report: a query may choose a language, and the bundle would lack that language. */
function noteFolded(folded: readonly string[]): string[] {
  const [first] = folded
  if (first === undefined) return []
  const { pathname, search } = new URL(first)
  const many = folded.length >= maxFolded ? `${maxFolded} or more` : String(folded.length)
  const [links, point] = folded.length === 1 ? ['link', 'points'] : ['links', 'point']
  return [
    `${many} ${links} with a query, such as ${pathname}${search}, ${point} to the page without the query: the bundle does not contain variants that differ only in the query.`,
  ]
}

/** Removes products from the soft 404 page, because it is compared with pages whose products are removed. */
function withoutProducts(missing: MissingPage, products: ProductRemoval): MissingPage {
  if (!missing.body) return missing
  const raw = readRawText(missing.body, null)
  const cleaned = products.clean(raw, missing.url).raw
  return cleaned === raw ? missing : { ...missing, body: Buffer.from(cleaned.text, 'latin1') }
}
