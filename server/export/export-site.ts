import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openFetcher } from '../web/fetch/fetcher.ts'
import { createPace } from '../web/fetch/pace.ts'
import type { SiteHeaders } from '../web/fetch/site-headers.ts'
import { archiveFiles } from './archive/archive.ts'
import { makeBundle } from './bundle/make-bundle.ts'
import { rememberAnswers } from './cache/caching-fetcher.ts'
import { type ExportReuse, keepExport, repeatExport } from './cache/finished-export.ts'
import { collectSite } from './collect-site.ts'
import type { BundleFormat } from './jobs/export-job.ts'
import { createExclusions } from './model/exclusions.ts'
import { ExportError } from './model/export-error.ts'
import type { Deployment, Features } from './model/features.ts'
import type { ExportLimits } from './model/limits.ts'
import { createSite } from './model/site.ts'
import { startStageClock } from './model/stage-clock.ts'
import { openPagePool } from './pages/page-pool.ts'
import type { RemovalRules } from './products/removal-rules.ts'
import type { ExportReport } from './report.ts'
import type { Verify } from './verify/place-scripts.ts'

export { ExportError, type ExportErrorCode } from './model/export-error.ts'
export { defaultLimits, type ExportLimits } from './model/limits.ts'
export type { ExportReport } from './report.ts'

export interface ExportProgress {
  stage: 'compare' | 'discover' | 'fetch' | 'render' | 'archive'
  /** Looked at, also those that turned out to lead nowhere. */
  pagesDone: number
  pagesKnown: number
  /** Pages of the bundle that are done so far. */
  pageCount: number
}

export interface ExportOptions {
  /** Links to http(s)://domain are links of the site. */
  domain: string
  /** Where it is fetched from; its path is the scope: a site under /docs/ stays there. */
  origin: URL
  /** The operator set this origin: its host and port may be private or loopback, nothing else may. */
  originAllowed: boolean
  /** Further origins that the operator allowed, for files that pages load from them. */
  alsoAllowed?: readonly URL[]
  /** What lets the export in; sent to the origin, and to nobody else. Not kept. */
  siteHeaders?: SiteHeaders
  /** Only these pages; null = the whole site. */
  paths: readonly string[] | null
  deployment: Deployment
  features: Features
  /** What the site's settings add to the products that are recognised, and which pages they leave out. */
  removal?: RemovalRules | null
  version: string | null
  format: BundleFormat
  /** Written as outFile + '.part' and renamed when complete. */
  outFile: string
  /** Scratch; emptied first, removed at the end. */
  workFolder: string
  limits: ExportLimits
  onProgress(progress: ExportProgress): void
  signal: AbortSignal
  log?(details: object, message: string): void
  /** Whether robots.txt is obeyed; by default it is, unless the operator set the origin: that site is his own. */
  obeyRobots?: boolean
  /**
   * How much of the bundle a browser opens: none of it, a fixed sample (the default), or every page with scripts. With
   * `static` a browser only builds the pages whose HTML is empty without their scripts.
   */
  verify?: Verify
  /** What exports before this one saw; null or absent: everything is fetched and made anew. */
  reuse?: ExportReuse | null
  /** Packs a search that needs no server. */
  offlineSearch?: boolean
  /** Nothing but this export needs the thread that it was called in. */
  isAlone?: boolean
}

/** What an export made, whenever it was made. */
export interface FinishedResult {
  pageCount: number
  sizeBytes: number
  sha256: string
  report: ExportReport
}

export interface ExportResult extends FinishedResult {
  /** What each stage took. */
  stageSeconds: Record<string, number>
}

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
  const openDoor = () => openFetcher({ exempt, alsoExempt, limits, signal, pace, locate, isExcluded, siteHeaders })
  const remembering = reuse ? rememberAnswers({ ...reuse, fetcher: openDoor(), limits }) : null
  const fetcher = remembering ?? openDoor()
  const { domain, origin, features, removal = null, isAlone = false } = options
  const folder = join(workFolder, 'fetched')
  const pool = openPagePool({ domain, origin: origin.href, features, removal, folder }, isAlone)
  const clock = startStageClock(log)
  try {
    signal.throwIfAborted()
    await rm(workFolder, { recursive: true, force: true })
    await mkdir(workFolder, { recursive: true })
    const repeated = await repeatExport(options, openDoor, pace, signal)
    if (reuse) clock.end('compare', { isRepeated: repeated !== null }, 'compared with an export before')
    if (repeated) return { ...repeated, stageSeconds: clock.seconds() }
    const abort = (error: unknown) => ending.abort(error)
    const collected = await collectSite(options, { site, exclusions, fetcher, pool, pace, signal, abort })
    const { state, report } = collected
    clock.end('fetch', { pages: report.pages }, 'site collected')
    const bundle = await makeBundle(collected, options, signal, clock)
    const archived = await archiveFiles({ ...bundle, format: options.format, outFile, signal })
    clock.end('archive', archived, 'bundle archived')
    const result = { pageCount: report.pages, ...archived, report }
    await state.views.settle()
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
  if (signal.aborted && (cause as Error)?.name === 'AbortError') {
    return new ExportError('The export was stopped before it was complete.', 'aborted', { cause })
  }
  return cause
}
