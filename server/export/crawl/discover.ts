import { createQueue } from '../../base/queue.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import { userAgent } from '../../web/fetch/fetcher.ts'
import type { Pace } from '../../web/fetch/host-turns.ts'
import type { Site } from '../model/site.ts'
import { type MissingPage, probeMissing } from './missing-probe.ts'
import { boundRobots, parseRobots } from './robots.ts'
import { readSitemap } from './sitemap.ts'

/** The robots.txt rules, listed pages and not-found response of a site, read before the crawl. */
export interface Discovered {
  /** Absolute page addresses from sitemaps and llms.txt, not yet checked. */
  pages: string[]
  /** Returns whether robots.txt allows a URL. */
  isAllowed(url: URL): boolean
  /** The site's response for a page that does not exist. */
  missing: MissingPage
}

const maxSitemaps = 200
const maxListedPages = 500_000
const listBytes = 64 * 1024 ** 2
/** Max lists read at once. Each is held in memory. */
const parallelLists = 4
/** Max delay between two requests. A longer delay would make exports endless. */
const maxCrawlDelayMs = 10_000

interface DiscoverOptions {
  site: Site
  fetcher: Fetcher
  /** Receives the delay between two requests that robots.txt requires. */
  pace: Pick<Pace, 'slowDown'>
  obeyRobots: boolean
  /** False when only given paths are exported. */
  wantPages: boolean
}

/**
 * Reads robots.txt, sitemaps and llms.txt.
 *
 * @throws {ExportError} when the site cannot be reached.
 */
export async function discoverSite({
  site,
  fetcher,
  pace,
  obeyRobots,
  wantPages,
}: DiscoverOptions): Promise<Discovered> {
  const robotsUrl = new URL('/robots.txt', site.origin)
  const [robotsText, missing] = await Promise.all([readText(fetcher, robotsUrl), probeMissing(site, fetcher)])
  const robots = parseRobots(robotsUrl.href, boundRobots(robotsText ?? ''))
  const isAllowed = (url: URL) => !obeyRobots || robots.isAllowed(url.href, userAgent) !== false
  const delaySeconds = obeyRobots ? (robots.getCrawlDelay(userAgent) ?? 0) : 0
  pace.slowDown(site.origin.host, Math.min(Math.max(0, delaySeconds * 1000) || 0, maxCrawlDelayMs))
  if (!wantPages) return { pages: [], isAllowed, missing }

  const guesses = ['sitemap.xml', 'sitemap_index.xml'].flatMap(name => [
    new URL(name, site.origin).href,
    new URL(`/${name}`, site.origin).href,
  ])
  const [fromSitemaps, fromLlms] = await Promise.all([
    readSitemaps([...robots.getSitemaps(), ...guesses], site, fetcher),
    readText(fetcher, new URL('llms.txt', site.origin)),
  ])
  return { pages: [...fromSitemaps, ...linksOfLlms(fromLlms ?? '', site.origin)], isAllowed, missing }
}

async function readSitemaps(starts: string[], site: Site, fetcher: Fetcher): Promise<string[]> {
  const pages: string[] = []
  const seen = new Set<string>()
  const queue = createQueue(parallelLists)
  // Reads level by level: an index first, then the sitemaps that it names.
  for (let level = starts; level.length > 0 && pages.length < maxListedPages; ) {
    const urls = level.flatMap(address => {
      const url = URL.parse(address, site.origin)
      // Sitemaps on other hosts are not read, even if they list pages of the site.
      const own = url && site.own(url)
      if (!own || seen.has(own.href) || seen.size >= maxSitemaps) return []
      seen.add(own.href)
      return [own]
    })
    const sitemaps = await Promise.all(
      urls.map(url =>
        queue.add(async () => {
          const bytes = await readBytes(fetcher, url)
          const { pages, sitemaps } = bytes ? readSitemap(bytes, listBytes) : { pages: [], sitemaps: [] }
          return { pages: pages.slice(0, maxListedPages), sitemaps: sitemaps.slice(0, maxSitemaps) }
        }),
      ),
    )
    // Pushes one by one: a call cannot take half a million arguments.
    for (const sitemap of sitemaps)
      for (const page of sitemap.pages) if (pages.length < maxListedPages) pages.push(page)
    level = sitemaps.flatMap(sitemap => sitemap.sitemaps)
  }
  return pages
}

/** Returns the links of llms.txt, a Markdown list of pages (llmstxt.org). */
export function linksOfLlms(text: string, base: URL): string[] {
  const found: string[] = []
  for (const [, address = ''] of text.matchAll(/\]\(\s{0,8}<?([^\s)>]{1,2000})/g)) {
    const url = URL.parse(address, base)
    if (url) found.push(url.href)
    if (found.length >= maxListedPages) break
  }
  return found
}

async function readText(fetcher: Fetcher, url: URL): Promise<string | null> {
  const bytes = await readBytes(fetcher, url)
  return bytes?.toString('utf8') ?? null
}

/** Reads the body of an answer with status 200 that is not HTML (a soft 404 is HTML). Returns null for other answers. */
async function readBytes(fetcher: Fetcher, url: URL): Promise<Buffer | null> {
  try {
    const answer = await fetcher.open(url)
    if (answer.status === 200 && !/html/.test(answer.type)) return await answer.read(listBytes)
    await answer.drop()
    return null
  } catch (error) {
    if (error instanceof FetchError) return null
    throw error
  }
}
