// A long file: an export, from its options to the archive.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../base/queue.ts'
import { createProductRemoval, type ProductRemoval } from '../products/product-removal.ts'
import { type BrowserTabs, type BrowserTabsOptions, createBrowserTabs } from '../web/browser/browser-tabs.ts'
import { findBrowser } from '../web/browser/find-browser.ts'
import { restoreLogin } from '../web/browser/in-page.ts'
import { BrowserStartError } from '../web/browser/launch.ts'
import { rendererTabs } from '../web/browser/renderer.ts'
import type { SignedIn } from '../web/browser/tab.ts'
import { type Fetcher, openFetcher } from '../web/fetch/fetcher.ts'
import type { Pace } from '../web/fetch/host-turns.ts'
import { openLoginSession } from '../web/fetch/login-session.ts'
import { readPageWords } from '../web/html/page-text.ts'
import { readRawText } from '../web/html/text-encoding.ts'
import type { LoginSecrets } from '../web/login/login-secrets.ts'
import { archiveFiles } from './archive/archive.ts'
import { makeBundle } from './bundle/make-bundle.ts'
import { refuseSecrets } from './bundle/refuse-secrets.ts'
import { twinLists } from './bundle/write-twins.ts'
import { type CachingFetcher, createCachingFetcher } from './cache/caching-fetcher.ts'
import { keepExport, repeatExport } from './cache/finished-export.ts'
import { createSecretViews, createViewCache, noViewCache } from './cache/view-cache.ts'
import { checkExpected, checkOutcome, noteLosses } from './crawl/check-outcome.ts'
import { noteCrawl } from './crawl/crawl-notes.ts'
import { type CollectedSite, type CrawlTools, createMutableSite } from './crawl/crawl-tools.ts'
import { type Discovered, discoverSite } from './crawl/discover.ts'
import { type Collection, createFileCollector } from './crawl/file-collector.ts'
import { createLoginWatch, type LoginWatch } from './crawl/login-watch.ts'
import type { MissingPage } from './crawl/missing-probe.ts'
import { divide, openPace } from './crawl/open-pace.ts'
import { findShortfall, noteShortfall, refuseShortfall } from './crawl/shortfall.ts'
import { listThirdParties } from './crawl/third-parties.ts'
import { type CrawlOptions, type CrawlResult, crawlSite, keepPage } from './crawl/visit.ts'
import { ExportError, stopped } from './model/export-error.ts'
import { timeExceeded, totalExceeded } from './model/limits.ts'
import { type ExportOptions, type ExportResult, obeysRobots } from './model/options.ts'
import { type ExportReport, notJudged } from './model/report.ts'
import { createExclusions, createSite, type Exclusions, isPageFile, linkKey, type Site } from './model/site.ts'
import { startStageClock } from './model/stage-clock.ts'
import { openPagePool, type PagePool } from './pages/page-pool.ts'
import type { ReadTask } from './pages/page-tasks.ts'
import { createAnswerer } from './render/answer-browser.ts'
import { type BrowserCompleter, createPageCompleter } from './render/page-completer.ts'

export { ExportError, type ExportErrorCode } from './model/export-error.ts'
export { defaultLimits, type ExportLimits } from './model/limits.ts'
export type { ExportReport } from './model/report.ts'

/**
 * Exports a site into one self-contained archive. The same site gives the same bytes.
 *
 * @throws {ExportError} when no bundle can be made, with a message that a person can act on.
 */
export async function exportSite(options: ExportOptions): Promise<ExportResult> {
  const endsAt = performance.now() + options.limits.jobTimeoutMs
  try {
    return await exportOnce({ ...options, endsAt, executablePath: findBrowser(), browserProblem: null })
  } catch (error) {
    if (!(error instanceof BrowserStartError)) throw error
    options.log?.({ err: error }, 'Chromium cannot be started; the export starts again without a browser')
    // What is made without a browser is not reused once the browser starts again.
    const reuse = options.reuse ? { ...options.reuse, engine: `${options.reuse.engine} without its browser` } : null
    return await exportOnce({ ...options, reuse, endsAt, executablePath: null, browserProblem: error.message })
  }
}

/** One attempt at an export. */
interface Attempt extends ExportOptions, Pick<ExportResult, 'browserProblem'> {
  /** The time of `performance.now()` at which the export must be complete. */
  endsAt: number
  /** The browser; null = the export does without. */
  executablePath: string | null
}

/** @throws {BrowserStartError} when a page needs the browser, and it cannot be started. */
async function exportOnce(options: Attempt): Promise<ExportResult> {
  const { workFolder, endsAt } = options
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(timeExceeded(options.limits)), endsAt - performance.now())
  const signal = AbortSignal.any([options.signal, ending.signal])
  const run = openRun(options, signal, error => ending.abort(error))
  try {
    signal.throwIfAborted()
    await rm(workFolder, { recursive: true, force: true })
    await mkdir(workFolder, { recursive: true })
    return await repeatOrMake(options, run)
  } catch (error) {
    const explained = explain(error, signal)
    // Ends the work that is still under way. Otherwise every remaining request would be tried and would fail.
    ending.abort(explained)
    throw explained
  } finally {
    clearTimeout(timer)
    await run.tabs?.close()
    await run.pool.close().catch(() => {})
    await run.fetcher.close().catch(() => {})
    await rm(workFolder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The services and state of one export. */
interface Run extends CollectDeps {
  /** The caching fetcher; null when nothing is reused. */
  cachingFetcher: CachingFetcher | null
  createFetcher(): Fetcher
}

function openRun(options: Attempt, signal: AbortSignal, abort: (error: unknown) => void): Run {
  const { limits, reuse, crowd = () => ({ exports: 1, onHost: 1 }), browserProblem } = options
  const site = createSite(options.domain, options.origin)
  const exclusions = createExclusions(options.removal?.excludePages ?? [], site)
  const pace = openPace(options, crowd)
  const { login = null } = options
  const session = login && openLoginSession(login)
  const createFetcher = () =>
    openFetcher({
      login: session,
      exempt: options.originAllowed ? options.origin : null,
      alsoExempt: options.alsoAllowed ?? [],
      limits,
      totalExceeded: () => totalExceeded(limits),
      signal,
      pace,
      locate: url => site.own(url) ?? url,
      isExcluded: url => site.own(url) !== null && exclusions.has(url),
      siteHeaders: { origin: options.origin.origin, headers: options.siteHeaders ?? {} },
    })
  const isSecret = ({ href }: URL) => session !== null && session.secrets.find(Buffer.from(href)) !== null
  const cachingFetcher = reuse ? createCachingFetcher({ ...reuse, fetcher: createFetcher(), limits, isSecret }) : null
  const fetcher = cachingFetcher ?? createFetcher()
  const share = (whole: number) => divide(whole, crowd().exports)
  const pool = openPool(options, share)
  const signedIn = login && session && { restore: restoreLogin(login), noteHeaders: session.noteHeaders }
  const tabs = createTabs(options, { share, signedIn, signal })
  const loginWatch = createLoginWatch({ site, login, createFetcher, abort })
  const secrets = session?.secrets ?? null
  const tools = { site, exclusions, fetcher, pool, tabs, browserProblem, pace, signal, abort, loginWatch, secrets }
  return { ...tools, cachingFetcher, createFetcher }
}

function openPool(options: Attempt, share: (whole: number) => number): PagePool {
  const { domain, origin, features, removal = null, workFolder, startThread } = options
  const folder = join(workFolder, 'fetched')
  const freezesReferences = options.executablePath !== null
  const setup = { domain, origin: origin.href, features, removal, freezesReferences, folder }
  return openPagePool(setup, startThread, { isAlone: true, share })
}

/** Prepares the browser that renders pages and checks the bundle; null when the export does without. */
function createTabs(
  { workFolder, limits, executablePath, allowNoSandbox = false }: Attempt,
  {
    share,
    signedIn,
    signal,
  }: Pick<BrowserTabsOptions, 'signal'> & Pick<Required<BrowserTabsOptions>, 'share'> & { signedIn: SignedIn | null },
): BrowserTabs | null {
  if (executablePath === null) return null
  const { pageTimeoutMs } = limits
  const browser = { executablePath, profileFolder: join(workFolder, 'browser'), allowNoSandbox }
  return createBrowserTabs({ ...browser, pageTimeoutMs, signal, share, login: signedIn, maxTabs: rendererTabs })
}

/** Returns the archive of an earlier export if nothing has changed; otherwise makes a new one. */
async function repeatOrMake(options: Attempt, run: Run): Promise<ExportResult> {
  const { outFile, log, reuse, browserProblem } = options
  const { signal, pace, cachingFetcher } = run
  const clock = startStageClock(log)
  await run.loginWatch.confirm()
  // With a login in local storage, the answers alone do not tell what scripts show.
  const mayRepeat = Object.keys(options.login?.storage ?? {}).length === 0
  const repeated = mayRepeat ? await repeatExport(options, run.createFetcher, pace, signal) : null
  if (reuse) clock.end('compare', { isRepeated: repeated !== null }, 'compared with the previous export')
  if (repeated) return { ...repeated, browserProblem, stageSeconds: clock.seconds() }
  const collection = await collectSite(options, run)
  const { report, tools } = collection
  clock.end('fetch', { pages: report.pages }, 'site collected')
  const bundle = await makeBundle(collection, options, signal, clock)
  await run.tabs?.close()
  await run.loginWatch.finish()
  if (run.secrets) await refuseSecrets(bundle, run.secrets)
  const archived = await archiveFiles({ ...bundle, format: options.format, outFile, signal })
  clock.end('archive', archived, 'bundle archived')
  const result = { pageCount: report.pages, ...archived, report }
  await tools.views.settle()
  if (cachingFetcher) await keepExport(options, { ...result, asked: cachingFetcher.asked(), delays: pace.delays() })
  return { ...result, browserProblem, stageSeconds: clock.seconds() }
}

/** Turns the error that ended the export into an error whose message may be shown. */
function explain(error: unknown, signal: AbortSignal): unknown {
  const cause = signal.aborted && !(error instanceof ExportError) ? signal.reason : error
  if (cause instanceof ExportError) return cause
  if (signal.aborted && (cause as Error)?.name === 'AbortError') return new ExportError(stopped, 'aborted', { cause })
  return cause
}

interface CollectDeps {
  site: Site
  tabs: BrowserTabs | null
  browserProblem: string | null
  exclusions: Exclusions
  fetcher: Fetcher
  pool: PagePool
  pace: Pace
  loginWatch: LoginWatch
  /** The values of the recorded login; null = there is none. */
  secrets: LoginSecrets | null
  signal: AbortSignal
  /** Ends the whole export. */
  abort(error: unknown): void
}

/**
 * Fetches all pages and files into the work folder, and begins the report.
 *
 * @throws {ExportError} when too little was found for a bundle.
 */
async function collectSite(options: ExportOptions, deps: CollectDeps): Promise<Collection> {
  const { site, exclusions, fetcher, pace, signal } = deps
  const { limits, onProgress, paths, log, allowLoss = false } = options
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
  const completer = createPageCompleter({ ...shared, answer, compares, allowLoss, signal, log })
  // Browsers request /favicon.ico by default.
  files.need(new URL('/favicon.ico', site.origin), 'asset')
  // A site may have lists of its Markdown.
  for (const path of options.markdown ? twinLists : []) files.need(new URL(`/${path}`, site.origin), 'asset')
  const crawl = { ...shared, starts, missingContent: readMissing(missing), followLinks: paths === null }
  const crawled = await crawlWith(completer, options, crawl)
  // A check of the bundle uses the same browser.
  if (!compares) await deps.tabs?.close()
  signal.throwIfAborted()
  await deps.loginWatch.finish()
  const walls = deps.loginWatch.check(found, allowLoss)
  checkOutcome(found, limits, paths === null ? null : starts)
  const losses = { pages: crawled.lost, lists: discovered.lostLists }
  const shortfall = paths === null ? await findShortfall(found, options.origin, crawled.isExpected) : []
  if (!allowLoss) checkExpected(losses, site)
  if (!allowLoss) refuseShortfall(shortfall, site)
  const report = beginReport(options, found, completer.findings())
  // What is lost comes first, because a summary shows only the first notes.
  report.notes = [
    ...noteLosses(losses),
    ...(shortfall.length > 0 ? [noteShortfall(shortfall)] : []),
    ...walls,
    ...report.notes,
    ...noteCrawl(crawled),
  ]
  const freeze: Collection['freeze'] = async (keys, isWhole) => {
    const shown = await completer.showFetched(keys, isWhole)
    for (const page of shown) keepPage(found, files, page)
    await files.finish()
    Object.assign(report, describePages(found, completer.findings()))
    return shown.map(({ resource }) => resource.key)
  }
  return { collected: found, report, tools, files, answer, freeze, looks: completer.looks }
}

async function createTools(
  options: ExportOptions,
  { site, exclusions, fetcher, pool, tabs, browserProblem, loginWatch, secrets, abort }: CollectDeps,
  { isAllowed }: Discovered,
): Promise<CrawlTools> {
  const { limits, reuse } = options
  const folder = join(options.workFolder, 'fetched')
  await mkdir(folder, { recursive: true })
  return {
    ...{ site, exclusions, fetcher, pool, tabs, browserProblem, limits, folder, isAllowed, loginWatch, abort },
    // The turns of the hosts decide how many requests are under way. Others wait before a retry.
    queue: createQueue(2 * limits.connections),
    products: createProductRemoval(options.features, options.removal ?? null, site, tabs !== null),
    views: secrets ? createSecretViews(secrets) : reuse ? createViewCache(reuse) : noViewCache,
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

/** Removes products from the soft 404 page, because it is compared with pages whose products are removed. */
function withoutProducts(missing: MissingPage, products: ProductRemoval): MissingPage {
  if (!missing.body) return missing
  const raw = readRawText(missing.body, null)
  const cleaned = products.clean(raw, missing.url).raw
  return cleaned === raw ? missing : { ...missing, body: Buffer.from(cleaned.text, 'latin1') }
}

/** Max unvisited links named in the report. A note gives the total. */
const maxUnvisited = 1000

/** Returns the report after the crawl. Its lists of links are filled when the bundle is written. */
function beginReport(
  options: Pick<ExportOptions, 'domain' | 'version' | 'stamp' | 'deployment'>,
  collected: CollectedSite,
  rendering: Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'>,
): ExportReport {
  const { files, exclusions } = collected
  const name = (key: string) => pathOf(collected, key)
  const unvisited = listPages(collected, ['unvisited']).sort(byUrl)
  const skipped = [...listPages(collected, ['skipped', 'failed']), ...unvisited.slice(0, maxUnvisited)]
  return {
    domain: options.domain,
    version: options.version,
    stamp: options.stamp ?? null,
    deployment: options.deployment,
    files: files.size,
    ...describePages(collected, rendering),
    notes: [...rendering.notes, ...noteUnvisited(unvisited), ...exclusions.notes()],
    redirects: [],
    deadLinks: [],
    missingFiles: [],
    skipped: skipped.sort(byUrl),
    excludedPages: exclusions.list().map(({ key, pattern }) => ({ url: name(key), pattern })),
    ...listThirdParties(collected),
    unresolved: [],
    offlineSearch: null,
    siteSearch: null,
    scripts: notJudged,
    differences: [],
  }
}

/** The part of the report that changes when pages are replaced by what a browser shows of them. */
function describePages(
  collected: CollectedSite,
  { renderedPages, comparedPages }: Pick<ExportReport, 'renderedPages' | 'comparedPages'>,
) {
  const { pages, products } = collected
  const name = (key: string) => pathOf(collected, key)
  const kept = [...pages].flatMap(([key, { state }]) => (state === 'page' ? [key] : []))
  const counts = products.count(kept)
  return {
    pages: kept.length,
    renderedPages: renderedPages.map(name).sort(),
    comparedPages: comparedPages.map(name).sort(),
    ...counts,
    frozenReferences: counts.frozenReferences.map(each => ({ ...each, page: name(each.page) })).sort(byPage),
  }
}

type Skipped = ExportReport['skipped']

function listPages(collected: CollectedSite, states: readonly string[]): Skipped {
  const listed: Skipped = []
  // There can be hundreds of thousands, so no copy of all is made.
  for (const [key, outcome] of collected.pages) {
    if (states.includes(outcome.state) && 'reason' in outcome) {
      listed.push({ url: pathOf(collected, key), reason: outcome.reason })
    }
  }
  return listed
}

function noteUnvisited(unvisited: Skipped): string[] {
  const reasons = [...new Set(unvisited.map(({ reason }) => reason))].join(', ')
  return unvisited.length === 0
    ? []
    : [`${unvisited.length} links were not followed, since they are ${reasons}; raise the limit to include them.`]
}

function byUrl(a: { url: string }, b: { url: string }): number {
  return a.url < b.url ? -1 : 1
}

function byPage(a: { page: string; product: string }, b: { page: string; product: string }): number {
  if (a.page !== b.page) return a.page < b.page ? -1 : 1
  return a.product < b.product ? -1 : 1
}

/** Returns a key as the report shows it: the path if it belongs to the site, else the URL. */
function pathOf({ site }: Pick<CollectedSite, 'site'>, key: string): string {
  return key.startsWith(site.origin.origin) ? key.slice(site.origin.origin.length) : key
}
