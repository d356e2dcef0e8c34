import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserTabs, createBrowserTabs } from '../web/browser/browser-tabs.ts'
import { findBrowser } from '../web/browser/find-browser.ts'
import { BrowserStartError } from '../web/browser/launch.ts'
import { rendererTabs } from '../web/browser/renderer.ts'
import { isLocalHost } from '../web/fetch/address.ts'
import { type Fetcher, openFetcher } from '../web/fetch/fetcher.ts'
import { archiveFiles } from './archive/archive.ts'
import { makeBundle } from './bundle/make-bundle.ts'
import { type CachingFetcher, createCachingFetcher } from './cache/caching-fetcher.ts'
import { keepExport, repeatExport } from './cache/finished-export.ts'
import { type CollectDeps, collectSite } from './collect-site.ts'
import { createExclusions } from './model/exclusions.ts'
import { ExportError } from './model/export-error.ts'
import { type ExportLimits, totalExceeded } from './model/limits.ts'
import { type ExportOptions, type ExportResult, obeysRobots } from './model/options.ts'
import { createSharedLimits, type SharedLimits } from './model/shared-limits.ts'
import { createSite } from './model/site.ts'
import { startStageClock } from './model/stage-clock.ts'
import { openPagePool, type PagePool } from './pages/page-pool.ts'

export { ExportError, type ExportErrorCode } from './model/export-error.ts'
export { defaultLimits, type ExportLimits } from './model/limits.ts'
export type { ExportReport } from './model/report.ts'

/**
 * Exports a site into one self-contained archive. The same site gives the same bytes.
 *
 * @throws {ExportError} when no bundle can be made, with a message that a person can act on.
 */
export async function exportSite(options: ExportOptions): Promise<ExportResult> {
  const { workFolder } = options
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(timeExceeded(options.limits)), options.limits.jobTimeoutMs)
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
    run.pace.close()
    await rm(workFolder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The services and state of one export. */
interface Run extends CollectDeps {
  /** The caching fetcher; null when nothing is reused. */
  cachingFetcher: CachingFetcher | null
  createFetcher(): Fetcher
}

function openRun(options: ExportOptions, signal: AbortSignal, abort: (error: unknown) => void): Run {
  const { limits, reuse, shared = createSharedLimits(limits.connections, () => 1) } = options
  const site = createSite(options.domain, options.origin)
  const exclusions = createExclusions(options.removal?.excludePages ?? [], site)
  const pace = shared.hosts.open(host => isOwnHost(options, host))
  const createFetcher = () =>
    openFetcher({
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
  const cachingFetcher = reuse ? createCachingFetcher({ ...reuse, fetcher: createFetcher(), limits }) : null
  const fetcher = cachingFetcher ?? createFetcher()
  const pool = openPool(options, shared)
  const tabs = createTabs(options, shared, signal)
  return { site, exclusions, fetcher, pool, tabs, pace, signal, abort, cachingFetcher, createFetcher }
}

/** Returns whether a host belongs to the operator, who may send it as many requests as it answers. */
function isOwnHost(options: ExportOptions, host: string): boolean {
  if (isLocalHost(URL.parse(`http://${host}/`)?.hostname ?? '')) return true
  if (host === options.origin.host) return !obeysRobots(options)
  return options.alsoAllowed?.some(origin => origin.host === host) ?? false
}

function openPool(options: ExportOptions, { share }: SharedLimits): PagePool {
  const { domain, origin, features, removal = null, workFolder, startThread, isAlone } = options
  const folder = join(workFolder, 'fetched')
  const freezesReferences = findBrowser() !== null
  const setup = { domain, origin: origin.href, features, removal, freezesReferences, folder }
  return openPagePool(setup, startThread, { isAlone, share })
}

/** Prepares the browser that renders pages and checks the bundle; null when none is installed. */
function createTabs(
  { workFolder, limits }: ExportOptions,
  { share }: SharedLimits,
  signal: AbortSignal,
): BrowserTabs | null {
  const executablePath = findBrowser()
  if (executablePath === null) return null
  const { pageTimeoutMs } = limits
  const profileFolder = join(workFolder, 'browser')
  return createBrowserTabs({ executablePath, profileFolder, pageTimeoutMs, signal, share, maxTabs: rendererTabs })
}

/** Returns the archive of an earlier export if nothing has changed; otherwise makes a new one. */
async function repeatOrMake(options: ExportOptions, run: Run): Promise<ExportResult> {
  const { outFile, log, reuse } = options
  const { signal, pace, cachingFetcher } = run
  const clock = startStageClock(log)
  const repeated = await repeatExport(options, run.createFetcher, pace, signal)
  if (reuse) clock.end('compare', { isRepeated: repeated !== null }, 'compared with the previous export')
  if (repeated) return { ...repeated, stageSeconds: clock.seconds() }
  const collection = await collectSite(options, run)
  const { report, tools } = collection
  clock.end('fetch', { pages: report.pages }, 'site collected')
  const bundle = await makeBundle(collection, options, signal, clock)
  await run.tabs?.close()
  const archived = await archiveFiles({ ...bundle, format: options.format, outFile, signal })
  clock.end('archive', archived, 'bundle archived')
  const result = { pageCount: report.pages, ...archived, report }
  await tools.views.settle()
  if (cachingFetcher) await keepExport(options, { ...result, asked: cachingFetcher.asked(), delays: pace.delays() })
  return { ...result, stageSeconds: clock.seconds() }
}

function timeExceeded({ jobTimeoutMs }: ExportLimits): ExportError {
  const seconds = Math.round(jobTimeoutMs / 1000)
  const limit = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
  const message = `The export took longer than its limit of ${limit}; raise the limit or export fewer paths.`
  return new ExportError(message, 'timeout')
}

/** Turns the error that ended the export into an error whose message may be shown. */
function explain(error: unknown, signal: AbortSignal): unknown {
  const cause = signal.aborted && !(error instanceof ExportError) ? signal.reason : error
  if (cause instanceof ExportError) return cause
  if (cause instanceof BrowserStartError) return new ExportError(cause.message, 'browser_missing', { cause })
  if (signal.aborted && (cause as Error)?.name === 'AbortError')
    return new ExportError('The export was stopped before it was complete.', 'aborted', { cause })
  return cause
}
