import { createHash } from 'node:crypto'
import robotsParser from 'robots-parser'
import { createQueue } from '../../base/queue.ts'
import type { Fetcher } from '../../web/fetch/fetcher.ts'
import { FetchError, userAgent } from '../../web/fetch/fetcher.ts'
import type { Pace } from '../../web/fetch/pace.ts'
import type { Site } from '../model/site.ts'
import { explainUnreachable } from './check-outcome.ts'
import { readSitemap } from './sitemap.ts'

/** What a site says about itself before any page is read. */
export interface Discovered {
  /** Addresses of pages from sitemaps and llms.txt, absolute, unchecked. */
  pages: string[]
  /** Whether robots.txt lets us fetch this. */
  isAllowed(url: URL): boolean
  /** How the site answers for a page that cannot exist. */
  missing: MissingPage
}

/** `status` is 404 on most sites; 200 means soft 404s, and `body` is what they look like. `url` is after redirects. */
export interface MissingPage {
  status: number
  url: URL
  asked: URL
  body: Buffer | null
}

const mostSitemaps = 200
const mostListedPages = 500_000
const listBytes = 64 * 1024 ** 2
/** Lists read at once; each may take all of its bytes in memory. */
const parallelLists = 4
/** Of robots.txt this much counts (RFC 9309 asks for 500 KiB at least); every rule costs time for every address. */
const robotsCharacters = 512 * 1024
const robotsLine = 2000
/** A site that asks for more would be a site that is not exported. */
const mostCrawlDelayMs = 10_000

/** The robots-parser types describe an ES module; the package is CommonJS and exports the function itself. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default

export interface DiscoverOptions {
  site: Site
  fetcher: Fetcher
  /** Hears how long the site wants to be left alone between two requests. */
  pace: Pick<Pace, 'slowDown'>
  obeyRobots: boolean
  /** False when only given paths are exported: lists of pages are not needed then. */
  wantPages: boolean
}

/** @throws {ExportError} when nothing can be reached there. */
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
  pace.slowDown(site.origin.host, Math.min(Math.max(0, delaySeconds * 1000) || 0, mostCrawlDelayMs))
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
  // Level by level, each level at once: an index first, then what it names.
  for (let level = starts; level.length > 0 && pages.length < mostListedPages; ) {
    const urls = level.flatMap(address => {
      const url = URL.parse(address, site.origin)
      // A sitemap elsewhere may list our pages, but nothing of ours depends on it: only the site's own are read.
      const own = url && site.own(url)
      if (!own || seen.has(own.href) || seen.size >= mostSitemaps) return []
      seen.add(own.href)
      return [own]
    })
    const sitemaps = await Promise.all(
      urls.map(url =>
        queue.add(async () => {
          const bytes = await readBytes(fetcher, url)
          const { pages, sitemaps } = bytes ? readSitemap(bytes, listBytes) : { pages: [], sitemaps: [] }
          return { pages: pages.slice(0, mostListedPages), sitemaps: sitemaps.slice(0, mostSitemaps) }
        }),
      ),
    )
    // One by one: a call takes no half a million arguments.
    for (const sitemap of sitemaps)
      for (const page of sitemap.pages) if (pages.length < mostListedPages) pages.push(page)
    level = sitemaps.flatMap(sitemap => sitemap.sitemaps)
  }
  return pages
}

/** The part of a robots.txt that is read: whole lines, none of them endless. */
function boundRobots(text: string): string {
  if (text.length <= robotsLine) return text
  const lines = text.slice(0, robotsCharacters).split(/\r\n|\r|\n/)
  if (text.length > robotsCharacters) lines.pop()
  return lines.filter(line => line.length <= robotsLine).join('\n')
}

/** The links of llms.txt, a Markdown list of pages (llmstxt.org). */
export function linksOfLlms(text: string, base: URL): string[] {
  const found: string[] = []
  for (const [, address = ''] of text.matchAll(/\]\(\s{0,8}<?([^\s)>]{1,2000})/g)) {
    const url = URL.parse(address, base)
    if (url) found.push(url.href)
    if (found.length >= mostListedPages) break
  }
  return found
}

async function probeMissing(site: Site, fetcher: Fetcher): Promise<MissingPage> {
  // No page has this address by chance, and a second export asks for the same one.
  const name = createHash('sha256').update(site.origin.href).digest('hex').slice(0, 16)
  const asked = new URL(`quire-${name}`, site.origin)
  try {
    const answer = await fetcher.open(asked, 'text/html,*/*;q=0.8')
    const isPage = answer.status === 200 && /html/.test(answer.type)
    if (!isPage) {
      await answer.drop()
      return { status: answer.status === 200 ? 404 : answer.status, url: answer.url, asked, body: null }
    }
    return { status: 200, url: answer.url, asked, body: await answer.read(8 * 1024 ** 2) }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const hopeless = explainUnreachable(site, error)
    if (hopeless) throw hopeless
    return { status: 404, url: asked, asked, body: null }
  }
}

async function readText(fetcher: Fetcher, url: URL): Promise<string | null> {
  const bytes = await readBytes(fetcher, url)
  return bytes?.toString('utf8') ?? null
}

/** The body of a 200 that is no page (soft 404s answer with pages); null for everything else. */
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
