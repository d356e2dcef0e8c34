import { digest } from '../../base/digest.ts'
import type { Answerer, BrowserAnswer } from '../../web/browser/browser-request.ts'
import { createRenderer, RenderError, type RenderedPage } from '../../web/browser/renderer.ts'
import type { RawText } from '../../web/html/text-encoding.ts'
import type { CrawlTools } from '../crawl/crawl-tools.ts'
import type { MissingPage } from '../crawl/missing-probe.ts'
import type { Resource } from '../model/resource.ts'
import { linkKey } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'

/** A page as a browser shows it, and as it was fetched. */
export interface PageView {
  shown: RenderedPage
  fetched: RawText
}

/** Shows fetched pages in a browser. The browser starts with the first page. */
export interface PageViews {
  /** Whether there is a browser. */
  isAvailable: boolean
  /**
   * @param at the address to show: the URL of the page, or this URL with a fragment.
   * @throws {RenderError}
   */
  show(page: Resource, at?: URL): Promise<PageView>
  /** Works like `show`, but returns null when the browser cannot show the page. */
  tryShow(page: Resource, at?: URL): Promise<PageView | null>
  /** Works like `tryShow`, but gives the page more time, because opening all parts of a reference takes long. */
  tryShowReference(page: Resource): Promise<PageView | null>
  /** Returns the words of the soft 404 page; null when there is none, or when the browser cannot show it. */
  findMissingWords(): Promise<string[] | null>
  /** Keys of pages that requested more files than the limit. */
  cut: ReadonlySet<string>
  /** Starts the browser, because a page will be shown soon. */
  prepare(): void
}

interface PageViewsOptions {
  tools: Pick<CrawlTools, 'limits' | 'views' | 'tabs' | 'products' | 'abort'>
  /** Answers the requests of pages. */
  answer: Answerer
  missing: MissingPage
  signal: AbortSignal
}

/** How many times more time a page with an API reference gets. */
const referenceTimes = 4

export function createPageViews({ tools, answer, missing, signal }: PageViewsOptions): PageViews {
  const { pageTimeoutMs, pageRequests } = tools.limits
  const { tabs, products } = tools
  const { references, leavesOutside: isOutside } = products
  const renderer = tabs && createRenderer(tabs, { pageTimeoutMs, pageRequests, signal, references, isOutside })
  const cut = new Set<string>()
  let missingWords: Promise<string[] | null> | null = null

  async function render(url: URL, html: BrowserAnswer, timeoutMs = pageTimeoutMs): Promise<RenderedPage> {
    const { status, headers, body } = html
    const limits = { timeoutMs, pageRequests, references: references.map(({ name }) => name) }
    const subject = { view: 'page, look, outline and controls', url, status, headers, body: digest(body), ...limits }
    const { loaded, ...seen } = await tools.views.see(subject, answer, async answer => {
      if (!renderer) throw new RenderError('no browser is installed')
      const shown = await renderer.render(url, html, answer, timeoutMs)
      return { ...shown, url: shown.url.href, loaded: shown.loaded.map(url => url.href) }
    })
    return { ...seen, url: new URL(seen.url), loaded: loaded.map(url => new URL(url)) }
  }

  async function show(
    { key, charset, type, url, span }: Resource,
    at: URL = url,
    timeoutMs?: number,
  ): Promise<PageView> {
    const body = span ? await readSpan(span) : Buffer.alloc(0)
    const headers = { 'content-type': `${type}; charset=${charset}` }
    const shown = await render(at, { status: 200, headers, body }, timeoutMs)
    if (shown.isCut) cut.add(key)
    return { shown, fetched: { text: body.toString('latin1'), charset } }
  }

  async function renderMissing(body: Buffer): Promise<string[]> {
    return (await render(missing.asked, { status: 200, headers: { 'content-type': 'text/html' }, body })).words
  }

  return {
    isAvailable: tabs !== null,
    show: (page, at) => show(page, at),
    tryShow: (page, at) => show(page, at).catch(nullIfRenderError),
    tryShowReference: page => show(page, page.url, referenceTimes * pageTimeoutMs).catch(nullIfRenderError),
    findMissingWords() {
      const { body } = missing
      if (!body || linkKey(missing.url) !== linkKey(missing.asked)) return Promise.resolve(null)
      missingWords ??= renderMissing(body).catch(nullIfRenderError)
      // Prevents an unhandled rejection: a caller may fail before it awaits this promise.
      missingWords.catch(() => {})
      return missingWords
    },
    cut,
    // A browser that does not start ends the export early, before it has fetched the site in vain.
    prepare: () => void tabs?.open().catch(tools.abort),
  }
}

function nullIfRenderError(error: unknown): null {
  if (error instanceof RenderError) return null
  throw error
}
