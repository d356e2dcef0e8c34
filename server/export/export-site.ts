import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveFiles } from './archive.ts'
import { crawlSite } from './crawl.ts'
import type { CrawlState } from './crawl-state.ts'
import { discoverSite } from './discover.ts'
import { ExportError } from './export-error.ts'
import type { BundleFormat } from './export-job.ts'
import type { Deployment, Features } from './features.ts'
import { type Fetcher, openFetcher } from './fetcher.ts'
import type { ExportLimits } from './limits.ts'
import { needFile } from './pack-file.ts'
import { createPageCompleter } from './page-completer.ts'
import { readPageText } from './page-text.ts'
import { createQueue } from './queue.ts'
import { type ExportReport, writeReport } from './report.ts'
import { createSite, linkKey, type Site } from './site.ts'
import { readRawText } from './text-encoding.ts'
import { writeBundle } from './write-bundle.ts'

export { ExportError, type ExportErrorCode } from './export-error.ts'
export { defaultLimits, type ExportLimits } from './limits.ts'
export type { ExportReport } from './report.ts'

export interface ExportProgress {
  stage: 'discover' | 'fetch' | 'render' | 'archive'
  pagesDone: number
  pagesKnown: number
}

export interface ExportOptions {
  /** Links to http(s)://domain are links of the site. */
  domain: string
  /** Where it is fetched from; its path is the scope: a site under /docs/ stays there. */
  origin: URL
  /** The operator set this origin: its host and port may be private or loopback, nothing else may. */
  originAllowed: boolean
  /** Only these pages; null = the whole site. */
  paths: readonly string[] | null
  deployment: Deployment
  features: Features
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
}

export interface ExportResult {
  pageCount: number
  sizeBytes: number
  sha256: string
  report: ExportReport
}

/** The share of pages that may fail for reasons of the origin before the bundle counts as useless. */
const mostFailedShare = 0.1

/**
 * Exports a site into one self-contained archive; the same site gives the same bytes.
 *
 * @throws {ExportError} when there is no bundle to give, with a sentence a person can act on.
 */
export async function exportSite(options: ExportOptions): Promise<ExportResult> {
  const { limits, workFolder, outFile, log } = options
  const ending = new AbortController()
  const timer = setTimeout(() => {
    const minutes = Math.round(limits.jobTimeoutMs / 60_000)
    const message = `The export took longer than its limit of ${minutes} minutes; raise the limit or export fewer paths.`
    ending.abort(new ExportError(message, 'timeout'))
  }, limits.jobTimeoutMs)
  const signal = AbortSignal.any([options.signal, ending.signal])
  const fetcher = openFetcher({ exempt: options.originAllowed ? options.origin : null, limits, signal })
  try {
    signal.throwIfAborted()
    await rm(workFolder, { recursive: true, force: true })
    await mkdir(workFolder, { recursive: true })
    const startedAt = performance.now()
    const { state, start, report } = await collect(options, fetcher, signal, error => ending.abort(error))
    log?.({ stage: 'fetch', pages: report.pages, ms: since(startedAt) }, 'site collected')

    const bundleFolder = join(workFolder, 'bundle')
    let pagesWritten = 0
    const pagesKnown = report.pages
    const written = await writeBundle(state, start, bundleFolder, () => {
      pagesWritten += 1
      options.onProgress({ stage: 'archive', pagesDone: pagesWritten, pagesKnown })
    })
    signal.throwIfAborted()
    Object.assign(report, written.findings, { pages: written.pageCount, files: written.fileCount })
    log?.({ stage: 'rewrite', pages: report.pages, ms: since(startedAt) }, 'bundle written')

    await writeFile(join(bundleFolder, 'export-report.json'), writeReport(report))
    const paths = [...written.paths, 'export-report.json']
    const archived = await archiveFiles({ folder: bundleFolder, paths, format: options.format, outFile, signal })
    log?.({ stage: 'archive', ...archived, ms: since(startedAt) }, 'bundle archived')
    return { pageCount: report.pages, ...archived, report }
  } catch (error) {
    throw explain(error, signal)
  } finally {
    clearTimeout(timer)
    await fetcher.close().catch(() => {})
    await rm(workFolder, { recursive: true, force: true, maxRetries: 3 })
    await rm(`${outFile}.part`, { force: true })
  }
}

/** Fetches all pages and files into the work folder, and begins the report. */
async function collect(
  options: ExportOptions,
  fetcher: Fetcher,
  signal: AbortSignal,
  abort: (error: unknown) => void,
): Promise<{ state: CrawlState; start: URL; report: ExportReport }> {
  const { limits, onProgress, paths } = options
  const site = createSite(options.domain, options.origin)
  onProgress({ stage: 'discover', pagesDone: 0, pagesKnown: 0 })
  const obeyRobots = options.obeyRobots ?? !options.originAllowed
  const discovered = await discoverSite({ site, fetcher, obeyRobots, wantPages: paths === null })
  const folder = join(options.workFolder, 'fetched')
  await mkdir(folder, { recursive: true })
  const state: CrawlState = {
    site,
    fetcher,
    limits,
    queue: createQueue(limits.connections),
    pages: new Map(),
    files: new Map(),
    pendingPages: new Set(),
    pendingFiles: new Map(),
    background: new Set(),
    folder,
    isAllowed: discovered.isAllowed,
    refuseFile: (_url, role, isOwn) =>
      !isOwn && role === 'script' && options.deployment === 'air-gapped' ? 'a script of another site' : null,
    abort,
  }
  const wanted = paths?.map(path => new URL(path, site.origin)) ?? [site.origin]
  const start = wanted[0] ?? site.origin
  const startKey = linkKey(start)
  const { missing } = discovered
  const profileFolder = join(options.workFolder, 'browser')
  const completer = createPageCompleter({ state, missing, startKey, profileFolder, signal, log: options.log })
  const missingWords = missing.body && readPageText(readRawText(missing.body, null)).words
  const listed = discovered.pages.flatMap(address => {
    const own = site.own(URL.parse(address) ?? new URL('about:blank'))
    return own && site.inScope(own) ? [own] : []
  })
  // Browsers ask for it unasked; where it is there it belongs to the site.
  needFile(state, new URL('/favicon.ico', site.origin), 'asset')
  let pagesKnown = 0
  try {
    await crawlSite({
      state,
      missing,
      missingWords,
      startKey,
      starts: [...wanted, ...listed],
      followLinks: paths === null,
      complete: completer.complete,
      prepareReview: completer.prepareReview,
      review: completer.review,
      onProgress(pagesDone, known) {
        pagesKnown = Math.max(pagesKnown, known)
        onProgress({ stage: completer.isRendering() ? 'render' : 'fetch', pagesDone, pagesKnown })
      },
    })
  } finally {
    await completer.close()
  }
  signal.throwIfAborted()
  checkOutcome(state, start, paths === null ? null : wanted)
  return { state, start, report: beginReport(options, state, completer.findings()) }
}

/** @throws {ExportError} when what was collected is not worth a bundle, or not what was asked for. */
function checkOutcome(state: CrawlState, start: URL, wanted: URL[] | null): void {
  const { site, pages } = state
  const all = [...pages.values()]
  const found = all.filter(outcome => outcome.state === 'page').length
  const failed = all.filter(outcome => outcome.state === 'failed').length
  const first = pages.get(linkKey(start))
  if (found === 0 && first) {
    const reason = 'reason' in first ? first.reason : `it redirects to ${'url' in first ? first.url.host : 'nothing'}`
    if (first.state === 'elsewhere') {
      const message = `${site.domain} redirects to ${first.url.host}; export that domain, or set the site's origin.`
      throw new ExportError(message, 'leaves_domain')
    }
    if (/not public/.test(reason)) {
      throw new ExportError(
        `${reason}; set the site's origin if it is meant to be exported from there.`,
        'forbidden_address',
      )
    }
    if (/robots/.test(reason))
      throw new ExportError(`The robots.txt of ${site.domain} does not allow the export.`, 'robots')
    throw new ExportError(
      `${site.domain} gave no page at ${start.pathname} (${reason}); check its domain and origin.`,
      first.state === 'failed' ? 'unreachable' : 'not_found',
    )
  }
  const lost = (wanted ?? []).filter(url => !resolvesToPage(state, linkKey(url)))
  if (lost.length > 0) {
    const names = lost.slice(0, 5).map(url => url.pathname)
    const more = lost.length > 5 ? ` and ${lost.length - 5} more` : ''
    throw new ExportError(`No page is at ${names.join(', ')}${more}; correct \`paths\` and start again.`, 'not_found')
  }
  if (failed > (found + failed) * mostFailedShare) {
    const sample = all.find(outcome => outcome.state === 'failed')
    const why = sample && 'reason' in sample ? sample.reason : 'no answer'
    throw new ExportError(
      `${failed} of ${found + failed} pages could not be fetched (${why}); start again when ${site.domain} answers.`,
      'unreachable',
    )
  }
}

function resolvesToPage({ pages }: CrawlState, start: string): boolean {
  let key = start
  for (let hop = 0; hop < 10; hop += 1) {
    const outcome = pages.get(key)
    if (outcome?.state !== 'redirect') return outcome?.state === 'page' || outcome?.state === 'file'
    key = outcome.to
  }
  return false
}

function beginReport(
  options: ExportOptions,
  state: CrawlState,
  rendering: Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'>,
): ExportReport {
  const name = (key: string) => describe(state.site, key)
  const skipped: ExportReport['skipped'] = []
  for (const [key, outcome] of state.pages) {
    if (outcome.state === 'skipped' || outcome.state === 'failed')
      skipped.push({ url: name(key), reason: outcome.reason })
  }
  const packedThirdParty: string[] = []
  const removedThirdParty: ExportReport['removedThirdParty'] = []
  for (const [key, outcome] of state.files) {
    if (state.site.own(new URL(key))) continue
    if (outcome.state === 'file') packedThirdParty.push(key)
    else removedThirdParty.push({ url: key, reason: outcome.reason })
  }
  const byUrl = (a: { url: string }, b: { url: string }) => (a.url < b.url ? -1 : 1)
  return {
    domain: options.domain,
    version: options.version,
    deployment: options.deployment,
    pages: [...state.pages.values()].filter(outcome => outcome.state === 'page').length,
    files: state.files.size,
    renderedPages: rendering.renderedPages.map(name).sort(),
    comparedPages: rendering.comparedPages.map(name).sort(),
    notes: rendering.notes,
    redirects: [],
    deadLinks: [],
    missingFiles: [],
    skipped: skipped.sort(byUrl),
    packedThirdParty: packedThirdParty.sort(),
    removedThirdParty: removedThirdParty.sort(byUrl),
    unresolved: [],
  }
}

/** A key as a reader of the report knows it: the path on the site. */
function describe(site: Site, key: string): string {
  return key.startsWith(site.origin.origin) ? key.slice(site.origin.origin.length) : key
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

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}
