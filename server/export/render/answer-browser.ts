import { readFile } from 'node:fs/promises'
import type { Answerer, BrowserAnswer } from '../../web/browser/browser-request.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import { needFile } from '../crawl/need-file.ts'
import { assetKey } from '../model/site.ts'

/** Bytes of scripts and data kept between pages; most pages of a site load the same ones. */
const maxCachedBytes = 64 * 1024 ** 2

const packed = new Set(['stylesheet', 'image', 'media', 'font'])

export function createAnswerer(state: CrawlState): Answerer {
  const cache = new Map<string, Promise<BrowserAnswer>>()
  let cachedBytes = 0

  async function fetchAnswer(url: URL): Promise<BrowserAnswer> {
    const answer = await state.fetcher.open(url)
    const final = { status: answer.status, headers: answer.headers, body: await answer.read(state.limits.pageBytes) }
    if (!answer.redirected) return final
    // The browser has to know the final address: modules and style sheets there are relative to it.
    const to = state.site.own(answer.url) ?? answer.url
    cache.set(assetKey(to), Promise.resolve(final))
    return { status: 302, headers: { location: to.href, 'access-control-allow-origin': '*' }, body: Buffer.alloc(0) }
  }

  function fetchOnce(url: URL): Promise<BrowserAnswer> {
    const key = assetKey(url)
    const known = cache.get(key)
    if (known) return known
    const fetched = fetchAnswer(url)
    cache.set(key, fetched)
    fetched.then(
      answer => {
        cachedBytes += answer.body.length
        if (cachedBytes <= maxCachedBytes) return
        cache.clear()
        cachedBytes = 0
      },
      () => cache.delete(key),
    )
    return fetched
  }

  /** A file that the bundle will hold too: fetched once for both. */
  async function readPacked(url: URL, role: 'stylesheet' | 'asset'): Promise<BrowserAnswer | null> {
    const key = assetKey(url)
    needFile(state, url, role)
    await state.pendingFiles.get(key)
    const outcome = state.files.get(key)
    if (outcome?.state !== 'file') return null
    const { file, type } = outcome.resource
    return { status: 200, headers: { 'content-type': type }, body: await readFile(file) }
  }

  return async ({ url: address, method, resourceType, isNavigation, origin }) => {
    const asked = URL.parse(address)
    if (!asked || (asked.protocol !== 'http:' && asked.protocol !== 'https:')) return null
    // A page that is only looked at changes nothing: no form is sent, no beacon answered.
    if (method !== 'GET' && method !== 'HEAD') return null
    // An endless answer is for a page that lives on.
    if (resourceType === 'eventsource') return null
    const own = state.site.own(asked)
    if (isNavigation && !own) return null
    if (own && !state.isAllowed(own)) return null
    if (own && !packed.has(resourceType) && state.exclusions.has(own)) return null
    // What is off does not even start.
    if (state.products.refuse(own ?? asked) !== null) return null
    try {
      const url = own ?? asked
      const answer = packed.has(resourceType)
        ? await readPacked(url, resourceType === 'stylesheet' ? 'stylesheet' : 'asset')
        : await fetchOnce(url)
      if (!answer) return null
      // Under one of its names the site is one origin; the browser sees two.
      const allow =
        origin && own ? { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' } : {}
      const fonts =
        resourceType === 'font' || resourceType === 'stylesheet' ? { 'access-control-allow-origin': origin ?? '*' } : {}
      return { ...answer, headers: { ...answer.headers, ...fonts, ...allow } }
    } catch (error) {
      if (error instanceof FetchError) return null
      throw error
    }
  }
}
