import { digest } from '../../base/digest.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer } from '../../web/fetch/fetcher.ts'
import { headerCharset } from '../../web/html/text-encoding.ts'
import { assetKey, isTellingQuery, linkKey, queryKey } from '../model/site.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { ReadTask } from '../pages/page-tasks.ts'
import type { MutableSite } from './collected-site.ts'
import { type CrawlTools, checkTotal } from './crawl-tools.ts'
import type { FileCollector } from './file-collector.ts'
import type { MissingPage } from './missing-probe.ts'
import type { FetchedPage } from './page-completer.ts'
import { isServerFailure, type NoPage, refusedByRobots, softMissing } from './page-outcomes.ts'

/** The values shared by all visits of one crawl. */
export interface VisitContext {
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
  const bytes = await answer.read(tools.limits.pageBytes)
  checkTotal(tools)
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

/** Turns an error into the outcome of a page. Throws errors that concern more than this page. */
function explainFailure({ site, exclusions }: CrawlTools, error: unknown): NoPage {
  if (error instanceof PageWorkError) return { state: 'failed', reason: error.message }
  if (!(error instanceof FetchError)) throw error
  const { code, redirectedTo, message } = error
  if (code === 'too_large') return { state: 'skipped', reason: message }
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
