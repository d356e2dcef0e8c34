import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BrowserStartError } from '../web/browser/launch.ts'
import { openFetcher } from '../web/fetch/fetcher.ts'
import { createPace } from '../web/fetch/pace.ts'
import { archiveFiles } from './archive/archive.ts'
import { makeBundle } from './bundle/make-bundle.ts'
import { createCachingFetcher } from './cache/caching-fetcher.ts'
import { keepExport, repeatExport } from './cache/finished-export.ts'
import { collectSite } from './collect-site.ts'
import { createExclusions } from './model/exclusions.ts'
import { ExportError } from './model/export-error.ts'
import { totalExceeded } from './model/limits.ts'
import type { ExportOptions, ExportResult } from './model/options.ts'
import { createSite } from './model/site.ts'
import { startStageClock } from './model/stage-clock.ts'
import { openPagePool } from './pages/page-pool.ts'

export { ExportError, type ExportErrorCode } from './model/export-error.ts'
export { defaultLimits, type ExportLimits } from './model/limits.ts'
export type { ExportReport } from './model/report.ts'

/**
 * Exports a site into one self-contained archive; the same site gives the same bytes.
 *
 * @throws {ExportError} when there is no bundle to give, with a sentence a person can act on.
 */
export async function exportSite(options: ExportOptions): Promise<ExportResult> {
  const { limits, workFolder, outFile, log, reuse } = options
  const ending = new AbortController()
  const timer = setTimeout(() => {
    const seconds = Math.round(limits.jobTimeoutMs / 1000)
    const limit = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
    const message = `The export took longer than its limit of ${limit}; raise the limit or export fewer paths.`
    ending.abort(new ExportError(message, 'timeout'))
  }, limits.jobTimeoutMs)
  const signal = AbortSignal.any([options.signal, ending.signal])
  const site = createSite(options.domain, options.origin)
  const exempt = options.originAllowed ? options.origin : null
  const alsoExempt = options.alsoAllowed ?? []
  const pace = createPace()
  const exclusions = createExclusions(options.removal?.excludePages ?? [], site)
  const isExcluded = (url: URL) => site.own(url) !== null && exclusions.has(url)
  const locate = (url: URL) => site.own(url) ?? url
  const siteHeaders = { origin: options.origin.origin, headers: options.siteHeaders ?? {} }
  const createFetcher = () =>
    openFetcher({
      exempt,
      alsoExempt,
      limits,
      totalExceeded: () => totalExceeded(limits),
      signal,
      pace,
      locate,
      isExcluded,
      siteHeaders,
    })
  const remembering = reuse ? createCachingFetcher({ ...reuse, fetcher: createFetcher(), limits }) : null
  const fetcher = remembering ?? createFetcher()
  const { domain, origin, features, removal = null, isAlone = false } = options
  const folder = join(workFolder, 'fetched')
  const pool = openPagePool({ domain, origin: origin.href, features, removal, folder }, isAlone)
  const clock = startStageClock(log)
  try {
    signal.throwIfAborted()
    await rm(workFolder, { recursive: true, force: true })
    await mkdir(workFolder, { recursive: true })
    const repeated = await repeatExport(options, createFetcher, pace, signal)
    if (reuse) clock.end('compare', { isRepeated: repeated !== null }, 'compared with an export before')
    if (repeated) return { ...repeated, stageSeconds: clock.seconds() }
    const abort = (error: unknown) => ending.abort(error)
    const collected = await collectSite(options, { site, exclusions, fetcher, pool, pace, signal, abort })
    const { report, tools } = collected
    clock.end('fetch', { pages: report.pages }, 'site collected')
    const bundle = await makeBundle(collected, options, signal, clock)
    const archived = await archiveFiles({ ...bundle, format: options.format, outFile, signal })
    clock.end('archive', archived, 'bundle archived')
    const result = { pageCount: report.pages, ...archived, report }
    await tools.views.settle()
    if (remembering) await keepExport(options, { ...result, asked: remembering.asked(), delays: pace.delays() })
    return { ...result, stageSeconds: clock.seconds() }
  } catch (error) {
    throw explain(error, signal)
  } finally {
    clearTimeout(timer)
    await pool.close().catch(() => {})
    await fetcher.close().catch(() => {})
    await rm(workFolder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** What ended the export, as an error whose message may be shown. */
function explain(error: unknown, signal: AbortSignal): unknown {
  const cause = signal.aborted && !(error instanceof ExportError) ? signal.reason : error
  if (cause instanceof ExportError) return cause
  if (cause instanceof BrowserStartError) return new ExportError(cause.message, 'browser_missing', { cause })
  if (signal.aborted && (cause as Error)?.name === 'AbortError') {
    return new ExportError('The export was stopped before it was complete.', 'aborted', { cause })
  }
  return cause
}
