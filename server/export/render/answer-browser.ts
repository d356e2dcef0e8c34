import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answerer, BrowserAnswer, BrowserRequest } from '../../web/browser/browser-request.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { CrawlTools } from '../crawl/crawl-tools.ts'
import type { FileCollector } from '../crawl/file-collector.ts'
import { assetKey } from '../model/site.ts'
import { type AnswerCache, createAnswerCache } from './answer-cache.ts'

type AnswerTools = Pick<CrawlTools, 'site' | 'fetcher' | 'limits' | 'products' | 'exclusions' | 'isAllowed' | 'folder'>

/** Types of requests for files that are also in the bundle. */
const packed = new Set(['stylesheet', 'image', 'media', 'font'])

/** Answers the requests of pages in a browser. Each file is fetched once, for all pages and for the bundle. */
export function createAnswerer(tools: AnswerTools, files: Pick<FileCollector, 'get'>): Answerer {
  const cache = createAnswerCache(join(tools.folder, 'answers'))
  return async request => {
    const url = findAllowed(tools, request)
    if (!url) return null
    try {
      const isPacked = packed.has(request.resourceType)
      const answer = isPacked
        ? await readPacked(files, url, request.resourceType)
        : await cache.get(assetKey(url), () => fetchAnswer(tools, url, cache))
      return answer && addCorsHeaders(answer, request, tools.site.own(url) !== null)
    } catch (error) {
      if (error instanceof FetchError) return null
      throw error
    }
  }
}

/** Returns the URL to answer, mapped to the origin if it belongs to the site; null when the request is refused. */
function findAllowed(
  { site, products, exclusions, isAllowed }: AnswerTools,
  { url: address, method, resourceType, isNavigation }: BrowserRequest,
): URL | null {
  const asked = URL.parse(address)
  if (!asked || (asked.protocol !== 'http:' && asked.protocol !== 'https:')) return null
  // Showing a page must not send data: no forms, no beacons.
  if (method !== 'GET' && method !== 'HEAD') return null
  // An event stream never ends.
  if (resourceType === 'eventsource') return null
  const own = site.own(asked)
  if (isNavigation && !own) return null
  if (own && !isAllowed(own)) return null
  if (own && !packed.has(resourceType) && exclusions.has(own)) return null
  // A removed product must not start.
  return products.refuse(own ?? asked) === null ? (own ?? asked) : null
}

/** Reads a file that is also in the bundle; null when it is missing. */
async function readPacked(
  files: Pick<FileCollector, 'get'>,
  url: URL,
  resourceType: string,
): Promise<BrowserAnswer | null> {
  const resource = await files.get(url, resourceType === 'stylesheet' ? 'stylesheet' : 'asset')
  if (!resource) return null
  const { file, type } = resource
  return { status: 200, headers: { 'content-type': type }, body: await readFile(file) }
}

async function fetchAnswer(
  { site, fetcher, limits }: AnswerTools,
  url: URL,
  cache: Pick<AnswerCache, 'put'>,
): Promise<BrowserAnswer> {
  const answer = await fetcher.open(url)
  const final = { status: answer.status, headers: answer.headers, body: await answer.read(limits.pageBytes) }
  if (!answer.redirected) return final
  // Modules and style sheets resolve addresses against their URL after redirects.
  const to = site.own(answer.url) ?? answer.url
  cache.put(assetKey(to), final)
  return { status: 302, headers: { location: to.href, 'access-control-allow-origin': '*' }, body: Buffer.alloc(0) }
}

/** Adds CORS headers: the browser sees two origins when the site is fetched under another name than its domain. */
function addCorsHeaders(
  answer: BrowserAnswer,
  { resourceType, origin }: Pick<BrowserRequest, 'resourceType' | 'origin'>,
  isOwn: boolean,
): BrowserAnswer {
  const allow =
    origin && isOwn ? { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' } : {}
  const isFont = resourceType === 'font' || resourceType === 'stylesheet'
  const fonts = isFont ? { 'access-control-allow-origin': origin ?? '*' } : {}
  return { ...answer, headers: { ...answer.headers, ...fonts, ...allow } }
}
