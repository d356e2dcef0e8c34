import { constants } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Answerer, BrowserAnswer, BrowserRequest } from '../../web/browser/browser-request.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { CrawlTools } from '../crawl/crawl-tools.ts'
import type { FileCollector } from '../crawl/file-collector.ts'
import type { Span } from '../model/resource.ts'
import { assetKey } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'

type AnswerTools = Pick<
  CrawlTools,
  'site' | 'fetcher' | 'limits' | 'products' | 'exclusions' | 'isAllowed' | 'folder' | 'loginWatch'
>

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
  { site, fetcher, limits, loginWatch }: AnswerTools,
  url: URL,
  cache: Pick<AnswerCache, 'put'>,
): Promise<BrowserAnswer> {
  const answer = await fetcher.open(url)
  if (answer.status === 401 || answer.status === 403) loginWatch.suspect()
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

/** Keeps the answers of an export, because most pages of a site load the same scripts and data, some of them several times. */
interface AnswerCache {
  /** Fetches an answer unless it is kept or under way. Failures are not kept. */
  get(key: string, fetch: () => Promise<BrowserAnswer>): Promise<BrowserAnswer>
  put(key: string, answer: BrowserAnswer): void
}

/** An answer whose body is in a file. */
interface StoredAnswer extends Omit<BrowserAnswer, 'body'> {
  span: Span
}

/** Max bytes kept in memory. */
const maxMemoryBytes = 64 * 1024 ** 2

/** @param file for the answers that memory has no room for; created when it is needed. */
export function createAnswerCache(file: string): AnswerCache {
  const answers = new Map<string, Promise<BrowserAnswer | StoredAnswer>>()
  let keptBytes = 0
  let endOfFile = 0

  async function store({ body, ...head }: BrowserAnswer): Promise<StoredAnswer> {
    const start = endOfFile
    endOfFile += body.length
    await mkdir(dirname(file), { recursive: true })
    // Opened for each answer, because few sites need the file. Each answer has its place, so several may be written at once.
    const handle = await open(file, constants.O_WRONLY | constants.O_CREAT)
    try {
      for (let written = 0; written < body.length; )
        written += (await handle.write(body, written, undefined, start + written)).bytesWritten
    } finally {
      await handle.close()
    }
    return { ...head, span: { file, start, sizeBytes: body.length } }
  }

  function keep(key: string, answer: BrowserAnswer): void {
    const { length } = answer.body
    if (keptBytes + length <= maxMemoryBytes) {
      keptBytes += length
      return
    }
    const stored = store(answer)
    answers.set(key, stored)
    // Without room on the disk, the next page fetches it again.
    stored.catch(() => answers.delete(key))
  }

  return {
    async get(key, fetch) {
      const known = answers.get(key)
      if (known) return readAnswer(await known)
      const fetched = fetch()
      answers.set(key, fetched)
      fetched.then(
        answer => keep(key, answer),
        () => answers.delete(key),
      )
      return fetched
    },
    put(key, answer) {
      answers.set(key, Promise.resolve(answer))
      keep(key, answer)
    },
  }
}

async function readAnswer(answer: BrowserAnswer | StoredAnswer): Promise<BrowserAnswer> {
  if ('body' in answer) return answer
  const { span, ...head } = answer
  return { ...head, body: await readSpan(span) }
}
