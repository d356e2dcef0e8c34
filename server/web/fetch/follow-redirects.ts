import type { Dispatcher } from 'undici'
import { FetchError } from './fetch-error.ts'
import { firstValue } from './header-value.ts'

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export interface RedirectSteps<T> {
  maxRedirects: number
  /** Returns the address to fetch. */
  locate: ((url: URL) => URL) | undefined
  /** Redirects to these addresses fail with FetchError 'excluded'. */
  isExcluded: ((url: URL) => boolean) | undefined
  request(url: URL): Promise<Dispatcher.ResponseData>
  /** Called with the first response that is not a redirect. */
  arrive(url: URL, isRedirected: boolean, response: Dispatcher.ResponseData): Promise<T>
}

/**
 * Requests an address and follows its redirects.
 *
 * @throws {FetchError} with `redirectedTo` if the request failed at another address than `start`.
 */
export async function followRedirects<T>(start: URL, steps: RedirectSteps<T>): Promise<T> {
  const { maxRedirects, locate, isExcluded } = steps
  let url = withoutFragment(start)
  try {
    for (let count = 0; ; count += 1) {
      checkScheme(url)
      const response = await steps.request(url)
      const location = firstValue(response.headers.location)
      if (!redirectStatuses.has(response.statusCode) || !location) return await steps.arrive(url, count > 0, response)
      await response.body.dump({ limit: 64 * 1024 }).catch(() => {})
      if (count >= maxRedirects) throw new FetchError('redirects', `more than ${maxRedirects} redirects`)
      const next = URL.parse(decodeHeader(location), url)
      if (!next) throw new FetchError('url', 'a redirect leads to an invalid address')
      url = withoutFragment(locate?.(next) ?? next)
      if (isExcluded?.(url)) throw new FetchError('excluded', 'it redirects to an excluded page')
    }
  } catch (error) {
    if (error instanceof FetchError && url.href !== withoutFragment(start).href) error.redirectedTo = url
    throw error
  }
}

function checkScheme(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchError('url', `the scheme ${url.protocol} is not supported, only http: and https:`)
  if (url.username || url.password) throw new FetchError('url', 'the address contains a user name or a password')
}

function withoutFragment(url: URL): URL {
  const copy = new URL(url)
  copy.hash = ''
  return copy
}

/**
 * Decodes a header. Node reads header bytes as latin1. In practice, an address that is not ASCII is UTF-8, as in browsers.
 */
function decodeHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}
