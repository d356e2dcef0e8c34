import { createQueue } from '../../base/queue.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import { userAgent } from '../../web/fetch/fetcher.ts'
import type { Pace } from '../../web/fetch/host-turns.ts'
import type { Site } from '../model/site.ts'
import type { LostPage } from './check-outcome.ts'
import { isServerFailure } from './frontier.ts'
import { type MissingPage, probeMissing } from './missing-probe.ts'
import { parseRobots } from './robots.ts'
import { readSitemap } from './sitemap.ts'

/** The robots.txt rules, listed pages and not-found response of a site, read before the crawl. */
export interface Discovered {
  /** Absolute page addresses from sitemaps and llms.txt, not yet checked. */
  pages: string[]
  /** Returns whether robots.txt allows a URL. */
  isAllowed(url: URL): boolean
  /** The site's response for a page that does not exist. */
  missing: MissingPage
  /** Lists of pages that could not be read. They are expected if robots.txt or another sitemap names them. */
  lostLists: LostPage[]
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
  const robots = parseRobots(robotsText ?? '', robotsUrl.origin, userAgent)
  const isAllowed = (url: URL) => !obeyRobots || robots.isAllowed(url)
  const delaySeconds = obeyRobots ? robots.delaySeconds : 0
  pace.slowDown(site.origin.host, Math.min(Math.max(0, delaySeconds * 1000) || 0, maxCrawlDelayMs))
  if (!wantPages) return { pages: [], isAllowed, missing, lostLists: [] }

  const lost: LostPage[] = []
  const read = async ({ url, isNamed }: Sitemap) => {
    const { bytes, failure } = await readBytes(fetcher, url)
    if (failure !== null) lost.push({ path: url.pathname + url.search, reason: failure, isExpected: isNamed })
    return bytes
  }
  const lists = listAddresses(site, robots.sitemaps)
  const [sitemaps, llms] = await Promise.all([
    readSitemaps(lists.sitemaps, site, { read, maxSitemaps, maxBytes: listBytes }),
    readText(fetcher, lists.llms),
  ])
  const pages = [...sitemaps.pages, ...linksOfLlms(llms ?? '', site.origin)]
  return { pages, isAllowed, missing, lostLists: lost.sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

interface SitemapAddress {
  address: string
  /** Whether robots.txt or another sitemap names it. */
  isNamed: boolean
}

interface Sitemap extends Pick<SitemapAddress, 'isNamed'> {
  url: URL
}

/**
 * Returns where a site lists its pages.
 *
 * @param named the sitemaps of robots.txt
 */
export function listAddresses(site: Site, named: readonly string[]): { sitemaps: SitemapAddress[]; llms: URL } {
  const guesses = ['sitemap.xml', 'sitemap_index.xml'].flatMap(name => [
    new URL(name, site.origin).href,
    new URL(`/${name}`, site.origin).href,
  ])
  const sitemaps = [
    ...named.map(address => ({ address, isNamed: true })),
    ...guesses.map(address => ({ address, isNamed: false })),
  ]
  return { sitemaps, llms: new URL('llms.txt', site.origin) }
}

interface SitemapReading {
  /** Reads a sitemap; null = there is none. */
  read(sitemap: Sitemap): Promise<Buffer | null>
  maxSitemaps: number
  /** Of one sitemap, unpacked. */
  maxBytes: number
}

/** Reads sitemaps, and those that they name. `isCut` = there are more than are read. */
export async function readSitemaps(
  starts: readonly SitemapAddress[],
  site: Site,
  { read, maxSitemaps, maxBytes }: SitemapReading,
): Promise<{ pages: string[]; isCut: boolean }> {
  const pages: string[] = []
  let isCut = false
  const seen = new Set<string>()
  const queue = createQueue(parallelLists)
  // Reads level by level: an index first, then the sitemaps that it names.
  for (let level = starts; level.length > 0 && pages.length < maxListedPages; ) {
    const found = level.flatMap(({ address, isNamed }) => {
      const url = URL.parse(address, site.origin)
      // Sitemaps on other hosts are not read, even if they list pages of the site.
      const own = url && site.own(url)
      if (!own || seen.has(own.href)) return []
      isCut ||= seen.size >= maxSitemaps
      if (isCut) return []
      seen.add(own.href)
      return [{ url: own, isNamed }]
    })
    const sitemaps = await Promise.all(
      found.map(sitemap =>
        queue.add(async () => {
          const bytes = await read(sitemap)
          const { pages, sitemaps } = bytes ? readSitemap(bytes, maxBytes) : { pages: [], sitemaps: [] }
          return { pages: pages.slice(0, maxListedPages), sitemaps: sitemaps.slice(0, maxSitemaps) }
        }),
      ),
    )
    // Pushes one by one: a call cannot take half a million arguments.
    for (const sitemap of sitemaps)
      for (const page of sitemap.pages) if (pages.length < maxListedPages) pages.push(page)
    level = sitemaps.flatMap(sitemap => sitemap.sitemaps.map(address => ({ address, isNamed: true })))
  }
  return { pages, isCut: isCut || pages.length >= maxListedPages }
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
  const { bytes } = await readBytes(fetcher, url)
  return bytes?.toString('utf8') ?? null
}

interface ReadList {
  /** The body of an answer with status 200 that is not HTML (a soft 404 is HTML); null for other answers. */
  bytes: Buffer | null
  /** Why the server could not answer; null = it did. */
  failure: string | null
}

async function readBytes(fetcher: Fetcher, url: URL): Promise<ReadList> {
  try {
    const answer = await fetcher.open(url)
    if (answer.status === 200 && !/html/.test(answer.type))
      return { bytes: await answer.read(listBytes), failure: null }
    await answer.drop()
    return { bytes: null, failure: isServerFailure(answer.status) ? `status ${answer.status}` : null }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const isPassing = error.code === 'network' || error.code === 'timeout'
    return { bytes: null, failure: isPassing ? error.message : null }
  }
}
