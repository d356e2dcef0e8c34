import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../base/queue.ts'
import type { Fetcher } from '../web/fetch/fetcher.ts'
import type { Pace } from '../web/fetch/pace.ts'
import { readPageWords } from '../web/html/page-text.ts'
import { readRawText } from '../web/html/text-encoding.ts'
import { createModuleNames } from '../web/javascript/import-map.ts'
import { createViewCache, noViewCache } from './cache/view-cache.ts'
import { beginReport } from './crawl/begin-report.ts'
import { checkOutcome } from './crawl/check-outcome.ts'
import { crawlSite } from './crawl/crawl.ts'
import type { CollectedSite, CrawlState } from './crawl/crawl-state.ts'
import { discoverSite } from './crawl/discover.ts'
import { createJoinedNames } from './crawl/joined-names.ts'
import type { MissingPage } from './crawl/missing-probe.ts'
import { findData, needFile } from './crawl/need-file.ts'
import { maxFolded } from './crawl/query-pages.ts'
import type { Exclusions } from './model/exclusions.ts'
import type { ExportOptions } from './model/options.ts'
import { isPageFile, linkKey, type Site } from './model/site.ts'
import type { PagePool } from './pages/page-pool.ts'
import { createProductRemoval, type ProductRemoval } from './products/product-removal.ts'
import { createPageCompleter } from './render/page-completer.ts'

export interface CollectDeps {
  site: Site
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
 * @throws {ExportError} when what was found is not worth a bundle.
 */
export async function collectSite(
  options: ExportOptions,
  { site, exclusions, fetcher, pool, pace, signal, abort }: CollectDeps,
): Promise<CollectedSite> {
  const { limits, onProgress, paths } = options
  onProgress({ stage: 'discover', pagesDone: 0, pagesKnown: 0, pageCount: 0 })
  const obeyRobots = options.obeyRobots ?? !options.originAllowed
  const discovered = await discoverSite({ site, fetcher, pace, obeyRobots, wantPages: paths === null })
  const folder = join(options.workFolder, 'fetched')
  await mkdir(folder, { recursive: true })
  const products = createProductRemoval(options.features, options.removal ?? null, site)
  const state: CrawlState = {
    site,
    fetcher,
    limits,
    queue: createQueue(limits.connections),
    pool,
    pages: new Map(),
    files: new Map(),
    queried: new Set(),
    apps: new Map(),
    pendingPages: new Set(),
    pendingFiles: new Map(),
    background: new Set(),
    scripted: new Set(),
    guesses: new Set(),
    moduleNames: createModuleNames(url => needFile(state, url, 'script')),
    joinedNames: createJoinedNames(site.origin, url => findData(state, url)),
    folder,
    isAllowed: discovered.isAllowed,
    refuseFile: products.refuse,
    exclusions,
    products,
    views: options.reuse ? createViewCache(options.reuse) : noViewCache,
    abort,
  }
  // The page that the origin names is the one to open with; of a folder, it is what the folder answers.
  const named = isPageFile(options.origin) ? options.origin : site.origin
  const wanted = paths?.map(path => new URL(path, site.origin)) ?? [named]
  const start = wanted[0] ?? site.origin
  const startKey = linkKey(start)
  const missing = withoutProducts(discovered.missing, products)
  const profileFolder = join(options.workFolder, 'browser')
  const compares = options.verify !== 'static'
  const completer = createPageCompleter({ state, missing, startKey, profileFolder, compares, signal, log: options.log })
  // A site that sends missing pages to another page has no words for them.
  const isSentAway = linkKey(missing.url) !== linkKey(missing.asked)
  const missingContent =
    missing.body && !isSentAway
      ? { words: readPageWords(readRawText(missing.body, null)), asked: missing.asked.href }
      : null
  const listed = discovered.pages.flatMap(address => {
    const url = URL.parse(address)
    const own = url && site.own(url)
    if (own && url) own.hash = url.hash
    return own && site.inScope(own) ? [own] : []
  })
  // Browsers ask for it unasked; where it is there it belongs to the site.
  needFile(state, new URL('/favicon.ico', site.origin), 'asset')
  let pagesKnown = 0
  let isCut = false
  let folded: string[] = []
  try {
    const crawled = await crawlSite({
      state,
      missing,
      missingContent,
      startKey,
      // As it was written, too: some servers know /guide and not /guide/.
      starts: paths === null ? [...wanted, site.origin, options.origin, ...listed] : wanted,
      followLinks: paths === null,
      complete: completer.complete,
      isApp: completer.isApp,
      findScriptLinks: completer.findScriptLinks,
      showRoute: completer.showRoute,
      prepareReview: completer.prepareReview,
      review: completer.review,
      onProgress(pagesDone, known, pageCount) {
        pagesKnown = Math.max(pagesKnown, known)
        onProgress({ stage: completer.isRendering() ? 'render' : 'fetch', pagesDone, pagesKnown, pageCount })
      },
    })
    isCut = crawled.isCut
    folded = crawled.folded
  } finally {
    await completer.close()
  }
  signal.throwIfAborted()
  checkOutcome(state, start, paths === null ? null : wanted)
  const report = beginReport(options, state, completer.findings())
  report.notes.push(...noteFolded(folded))
  if (isCut)
    report.notes.push('The site has more links than can be kept in mind: some were neither followed nor listed.')
  return { state, start, report }
}

/** A query may choose a language, which a reader would miss. */
function noteFolded(folded: readonly string[]): string[] {
  const [first] = folded
  if (first === undefined) return []
  const { pathname, search } = new URL(first)
  const many = folded.length >= maxFolded ? `${maxFolded} or more` : String(folded.length)
  const links = folded.length === 1 ? 'link with a query leads' : 'links with a query lead'
  return [
    `${many} ${links} to the page without it, such as ${pathname}${search}: what only the query changes is not in the bundle.`,
  ]
}

/** Pages are compared with it when they have lost their products, so it loses them too. */
function withoutProducts(missing: MissingPage, products: ProductRemoval): MissingPage {
  if (!missing.body) return missing
  const raw = readRawText(missing.body, null)
  const cleaned = products.clean(raw, missing.url).raw
  return cleaned === raw ? missing : { ...missing, body: Buffer.from(cleaned.text, 'latin1') }
}
