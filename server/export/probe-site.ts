import { FetchError } from '../web/fetch/fetch-error.ts'
import { type Fetcher, openFetcher, userAgent } from '../web/fetch/fetcher.ts'
import { readPageHead } from '../web/html/page-head.ts'
import { headerCharset, readRawText } from '../web/html/text-encoding.ts'
import { boundRobots, parseRobots } from './crawl/robots.ts'

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

/** Requests the first page and robots.txt of a site, as an export would do. Never throws because of the site. */
export async function probeSite({ origin, originAllowed, timeoutMs }: ProbeOptions): Promise<SiteProbe> {
  const fetcher = openFetcher({
    exempt: originAllowed ? origin : null,
    limits: { totalBytes: 4 * maxPageBytes, redirects: 10, pageTimeoutMs: timeoutMs, retries: 0, connections: 2 },
    totalExceeded: () => new FetchError('too_large', 'the answer is too large'),
    signal: AbortSignal.timeout(2 * timeoutMs),
  })
  try {
    const [page, robots] = await Promise.all([openPage(fetcher, origin), readRobots(fetcher, origin)])
    return { url: origin.href, ...page, robots }
  } finally {
    await fetcher.close()
  }
}

async function openPage(fetcher: Fetcher, origin: URL): Promise<Omit<SiteProbe, 'url' | 'robots'>> {
  const nothing = { answeredBy: null, status: null, contentType: '', title: null, generator: null }
  try {
    const answer = await fetcher.open(origin, 'text/html')
    const found = { answeredBy: answer.url.href, status: answer.status, contentType: answer.type, error: null }
    if (answer.type !== 'text/html') {
      await answer.drop()
      return { ...nothing, ...found }
    }
    const bytes = await answer.read(maxPageBytes)
    return { ...found, ...readPageHead(readRawText(bytes, headerCharset(answer.contentType))) }
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
    const isAllowed = parseRobots(url.href, boundRobots(text)).isAllowed(origin.href, userAgent) !== false
    return isAllowed ? 'allows' : 'forbids'
  } catch {
    return 'none'
  }
}
