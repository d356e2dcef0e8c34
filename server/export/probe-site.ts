import { FetchError } from '../web/fetch/fetch-error.ts'
import { type Fetcher, openFetcher, userAgent } from '../web/fetch/fetcher.ts'
import { readPageHead } from '../web/html/page-head.ts'
import { judgePage, readPageText } from '../web/html/page-text.ts'
import { headerCharset, readRawText } from '../web/html/text-encoding.ts'
import { parseRobots } from './crawl/robots.ts'
import { readSitemap } from './crawl/sitemap.ts'

/** How the origin of a site answers now. */
export interface SiteProbe {
  /** The address that was requested. */
  url: string
  /** The address that answered, after redirects; null = none did. */
  answeredBy: string | null
  /** The HTTP status; null = no answer. */
  status: number | null
  /** The media type; '' = none. */
  contentType: string
  title: string | null
  generator: string | null
  /** Where the text of the page is made: by the server, or by scripts in a browser; null = there is no page. */
  rendering: 'server' | 'browser' | null
  /** How many pages sitemap.xml lists; null = there is none. */
  sitemapPages: number | null
  /** What robots.txt says to an export that fetches the origin. */
  robots: 'none' | 'allows' | 'forbids'
  /** The reason why nothing answered; null = something did. */
  error: string | null
}

export interface ProbeOptions {
  origin: URL
  /** Whether the origin may be a private or loopback address. */
  originAllowed: boolean
  timeoutMs: number
}

const maxPageBytes = 1024 ** 2
/** Sitemaps that an index may name; an export reads more. */
const maxSitemaps = 20

/** Requests the first page, robots.txt and sitemap.xml of a site, as an export would do. Never throws because of the site. */
export async function probeSite({ origin, originAllowed, timeoutMs }: ProbeOptions): Promise<SiteProbe> {
  const fetcher = openFetcher({
    exempt: originAllowed ? origin : null,
    limits: { totalBytes: 32 * maxPageBytes, redirects: 10, pageTimeoutMs: timeoutMs, retries: 0, connections: 2 },
    totalExceeded: () => new FetchError('too_large', 'the answer is too large'),
    signal: AbortSignal.timeout(2 * timeoutMs),
  })
  try {
    const [page, robots, sitemapPages] = await Promise.all([
      openPage(fetcher, origin),
      readRobots(fetcher, origin),
      countSitemapPages(fetcher, origin),
    ])
    return { url: origin.href, ...page, robots, sitemapPages }
  } finally {
    await fetcher.close()
  }
}

async function openPage(fetcher: Fetcher, origin: URL): Promise<Omit<SiteProbe, 'url' | 'robots' | 'sitemapPages'>> {
  const nothing = { answeredBy: null, status: null, contentType: '', title: null, generator: null, rendering: null }
  try {
    const answer = await fetcher.open(origin, 'text/html')
    const found = { answeredBy: answer.url.href, status: answer.status, contentType: answer.type, error: null }
    if (answer.type !== 'text/html') {
      await answer.drop()
      return { ...nothing, ...found }
    }
    const raw = readRawText(await answer.read(maxPageBytes), headerCharset(answer.contentType))
    const rendering = judgePage(readPageText(raw)) === 'shell' ? 'browser' : 'server'
    return { ...found, ...readPageHead(raw), rendering }
  } catch (error) {
    const to = error instanceof FetchError && error.redirectedTo ? `, redirected to ${error.redirectedTo.href}` : ''
    return { ...nothing, error: `${(error as Error).message}${to}` }
  }
}

async function readRobots(fetcher: Fetcher, origin: URL): Promise<SiteProbe['robots']> {
  try {
    const url = new URL('/robots.txt', origin)
    const answer = await fetcher.open(url)
    if (answer.status !== 200 || answer.type === 'text/html') {
      await answer.drop()
      return 'none'
    }
    const text = (await answer.read(maxPageBytes)).toString()
    return parseRobots(text, url.origin, userAgent).isAllowed(origin) ? 'allows' : 'forbids'
  } catch {
    return 'none'
  }
}

/** Counts the pages of sitemap.xml, and of the sitemaps that it names. Returns null if there is none that can be read. */
async function countSitemapPages(fetcher: Fetcher, origin: URL): Promise<number | null> {
  let pages: number | null = null
  const waiting = [new URL('sitemap.xml', origin).href]
  for (let read = 0; read < maxSitemaps; read++) {
    const url = URL.parse(waiting.shift() ?? '')
    if (url?.host !== origin.host) break
    try {
      const answer = await fetcher.open(url)
      if (answer.status !== 200 || answer.type === 'text/html') {
        await answer.drop()
        continue
      }
      const sitemap = readSitemap(await answer.read(8 * maxPageBytes), 8 * maxPageBytes)
      pages = (pages ?? 0) + sitemap.pages.length
      waiting.push(...sitemap.sitemaps.slice(0, maxSitemaps))
    } catch {
      // What an export cannot read, it says itself.
    }
  }
  return pages
}
