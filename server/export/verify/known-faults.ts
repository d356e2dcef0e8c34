import type { PageLook } from '../../web/browser/page-look.ts'
import type { Place } from './places.ts'

/** Recognises the failed requests and errors that a page has at the origin too. */
export interface KnownFaults {
  isKnownRequest(address: string): boolean
  isKnownError(text: string): boolean
}

/** Errors of scripts that read an answer. A failed request has another status and another body in each place. */
export const answerError = /\bJSON\b|Failed to fetch|NetworkError|Failed to execute 'send'/
const address = /\b(?:https?|wss?|file):\/\/[^\s'"]+/g

/**
 * A page may write an address without its scheme or host: `//host/a.js` is https://host/a.js at the origin, and
 * file://host/a.js on file://; `/a.js` names the host of each place. All spellings of an address are one. The query of other
 * hosts does not count, because trackers write the time there.
 *
 * @param seen the requests that failed in the place.
 */
export function findKnownFaults(
  { failed, errors }: Pick<PageLook, 'failed' | 'errors'>,
  place: Place,
  seen: readonly string[],
): KnownFaults {
  const known = new Set(
    failed.flatMap(text => {
      const url = URL.parse(text)
      return url ? [url.host + url.pathname, url.pathname + url.search] : []
    }),
  )
  const isKnownRequest = (text: string) => {
    const local = text.replaceAll(place.root, '/')
    const url = local === text ? URL.parse(text) : null
    const isOwn = url?.host === (URL.parse(place.root)?.host ?? '')
    return known.has(url ? (isOwn ? '' : url.host) + url.pathname + (isOwn ? url.search : '') : local)
  }
  const plain = (text: string) =>
    text.replaceAll(place.root, '/').replaceAll(address, found => {
      const { pathname, search } = URL.parse(found) ?? { pathname: found, search: '' }
      return pathname + search
    })
  const isExcused = seen.some(isKnownRequest)
  const knownErrors = new Set(errors.map(plain))
  return {
    isKnownRequest,
    isKnownError: text =>
      knownErrors.has(plain(text)) ||
      (isExcused && answerError.test(text)) ||
      (text.match(address) ?? []).some(found => isKnownRequest(found.replace(/\.$/, ''))),
  }
}
