import { createHash } from 'node:crypto'
import { createQueue } from '../base/queue.ts'
import { FetchError } from '../web/fetch/fetch-error.ts'
import { type Fetcher, openFetcher, userAgent } from '../web/fetch/fetcher.ts'
import { readPageLinks } from '../web/html/page-links.ts'
import { judgePage, readPageText, readPageWords } from '../web/html/page-text.ts'
import { headerCharset, readRawText } from '../web/html/text-encoding.ts'
import { linksOfLlms, listAddresses, readSitemaps } from './crawl/discover.ts'
import { parseRobots } from './crawl/robots.ts'
import { createSite, type Site } from './model/site.ts'
import type { ProbeOptions } from './probe-site.ts'

export interface FingerprintOptions extends ProbeOptions {
  domain: string
}

const connections = 4
const maxBytes = 8 * 1024 ** 2
/** 20, and those with usual names. */
const maxSitemaps = 24
const sampleSize = 20

/**
 * Reads what changes with a site: the lists of pages that an export reads, with their dates, and of a sample of its pages the ETag, the Last-Modified or else the
 * words. Like an export, it requests private addresses only if the operator set them.
 *
 * @returns a hash; null = it cannot be known whether the site changed.
 */
export async function readSiteFingerprint(options: FingerprintOptions): Promise<string | null> {
  const { domain, origin, originAllowed, timeoutMs } = options
  const site = createSite(domain, origin)
  const fetcher = openFetcher({
    exempt: originAllowed ? origin : null,
    limits: { totalBytes: 8 * maxBytes, redirects: 10, pageTimeoutMs: timeoutMs, retries: 1, connections },
    locate: url => site.own(url) ?? url,
    totalExceeded: () => new FetchError('too_large', 'the answers are too large'),
    signal: AbortSignal.timeout(2 * timeoutMs),
  })
  try {
    return await readFingerprint(fetcher, site, options)
  } catch (error) {
    if (error instanceof FetchError) return null
    throw error
  } finally {
    await fetcher.close()
  }
}

async function readFingerprint(
  fetcher: Fetcher,
  site: Site,
  { origin, originAllowed }: FingerprintOptions,
): Promise<string | null> {
  const robotsText = (await readList(fetcher, new URL('/robots.txt', origin)))?.toString() ?? ''
  const robots = parseRobots(robotsText, origin.origin, userAgent)
  const isAllowed = (url: URL) => originAllowed || robots.isAllowed(url)
  const lists = await readLists(fetcher, site, robots.sitemaps)
  if (!lists || !isAllowed(origin)) return null
  const start = await readPage(fetcher, origin)
  // Scripts make the text of such a site, so only the dates of a sitemap tell that it changed.
  if (start.status !== 200 || (start.isMadeByScripts && !lists.hasDates)) return null
  const own = (lists.pages.length > 0 ? lists.pages : start.links).flatMap(address => {
    const url = URL.parse(address, site.origin)
    const found = url && site.own(url)
    return found && site.inScope(found) && isAllowed(found) ? [found.href] : []
  })
  const queue = createQueue(connections)
  const pages = await Promise.all(
    takeSample([...new Set(own)]).map(address => queue.add(() => readPage(fetcher, new URL(address)))),
  )
  const hash = createHash('sha256')
  for (const text of [...lists.hashes, ...[start, ...pages].map(({ line }) => line)]) hash.update(`${text}\n`)
  return hash.digest('base64url')
}

/** Reads all lists of the site; null if there are more sitemaps than `maxSitemaps`, so that a change could be missed. */
async function readLists(fetcher: Fetcher, site: Site, named: readonly string[]) {
  const found = { hashes: [] as string[], hasDates: false }
  const read = async (url: URL) => {
    const bytes = await readList(fetcher, url)
    if (bytes) found.hashes.push(`${url.href} ${createHash('sha256').update(bytes).digest('base64url')}`)
    return bytes
  }
  const readDated = async ({ url }: { url: URL }) => {
    const bytes = await read(url)
    found.hasDates ||= bytes?.includes('<lastmod>') ?? false
    return bytes
  }
  const { sitemaps, llms } = listAddresses(site, named)
  const { pages, isCut } = await readSitemaps(sitemaps, site, { read: readDated, maxSitemaps, maxBytes })
  if (isCut) return null
  const linked = linksOfLlms((await read(llms))?.toString() ?? '', site.origin)
  return { pages: [...pages, ...linked], hashes: found.hashes.sort(), hasDates: found.hasDates }
}

/** Reads a list of the site; null = it has none. */
async function readList(fetcher: Fetcher, url: URL): Promise<Buffer | null> {
  const answer = await fetcher.open(url)
  refuseFailure(answer.status)
  if (answer.status === 200 && answer.type !== 'text/html') return answer.read(maxBytes)
  await answer.drop()
  return null
}

/** Reads a page. Its line changes when the page changes. */
async function readPage(fetcher: Fetcher, url: URL) {
  const { status, type, contentType, validators, url: answeredBy, ...answer } = await fetcher.open(url, 'text/html')
  refuseFailure(status)
  const bytes = await answer.read(maxBytes)
  const raw = readRawText(type === 'text/html' ? bytes : Buffer.alloc(0), headerCharset(contentType))
  const isMadeByScripts = judgePage(readPageText(raw)) === 'shell'
  const version = validators.etag ?? validators.lastModified
  const text = isMadeByScripts ? bytes : readPageWords(raw).join(' ')
  const line = `${answeredBy.href} ${status} ${version ?? createHash('sha256').update(text).digest('base64url')}`
  return { status, isMadeByScripts, line, links: readPageLinks(raw, answeredBy).links.map(({ href }) => href) }
}

/** @throws {FetchError} if the status says nothing about the page, because the server has a problem. */
function refuseFailure(status: number): void {
  if (status >= 500 || status === 429) throw new FetchError('network', `status ${status}`)
}

/** Takes the same pages each time, from the whole list. */
function takeSample(pages: readonly string[]): readonly string[] {
  if (pages.length <= sampleSize) return pages
  return Array.from({ length: sampleSize }, (_, at) => pages[Math.floor((at * pages.length) / sampleSize)] ?? '')
}
