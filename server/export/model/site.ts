import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { type AddressPattern, parseAddressPattern } from '../../web/address-pattern.ts'
import { maxExcludedPages } from './report.ts'

/** The URL space of one export. Decides which URLs belong to the site and which URLs are the same page. */
export interface Site {
  /** Address from which the pages are fetched. Its path is the scope and ends in a slash. */
  origin: URL
  domain: string
  /** Returns the URL at the origin for a URL with the site's domain or origin; null for other URLs. */
  own(url: URL): URL | null
  /** Decides whether an own URL may be a page: it is inside the scope and not a crawler trap. */
  inScope(url: URL): boolean
  /** Decides whether an own URL is outside the scope. */
  isBeside(url: URL): boolean
  /** Returns the public address of an own URL, including query and fragment. */
  online(url: URL): URL
}

export function createSite(domain: string, origin: URL): Site {
  const root = new URL(origin)
  root.search = ''
  root.hash = ''
  // A scope is a folder. For an origin such as /docs/index.html, the scope is the folder that contains the file.
  root.pathname = isPageFile(root)
    ? root.pathname.slice(0, root.pathname.lastIndexOf('/') + 1)
    : withSlash(root.pathname)
  const bareScope = root.pathname.slice(0, -1)
  const isUnder = ({ pathname }: URL) => pathname.startsWith(root.pathname) || pathname === bareScope
  return {
    origin: root,
    domain,
    own(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
      if (url.username || url.password) return null
      const named = url.hostname === domain.toLowerCase() && url.port === ''
      if (url.host !== root.host && !named) return null
      const own = new URL(root)
      own.pathname = normalizePath(url.pathname)
      own.search = url.search
      return own
    },
    inScope: url => isUnder(url) && !isTrap(url),
    isBeside: url => !isUnder(url),
    online(url) {
      const online = new URL(url.pathname + url.search + url.hash, root)
      if (root.host === domain.toLowerCase()) return online
      return new URL(online.href.slice(online.origin.length), `https://${domain}/`)
    },
  }
}

/** Decides whether a URL names a file in a folder, such as a page or the script that makes all pages, and not the folder. */
export function isPageFile(url: URL): boolean {
  return /\.(?:x?html?|phtml|php\d?|aspx?|jspx?|jsf|cfm|cgi|pl)$/i.test(url.pathname)
}

/** Extensions that are never pages. The query distinguishes files only if they have one of these extensions. */
const fileExtension =
  /\.(?:avif|bz2|css|csv|docx?|epub|exe|gif|gz|ico|inv|jar|jpe?g|js|json|map|md|mjs|mp[34]|mpeg|odt|ogg|otf|pdf|png|pptx?|rar|rst|rss|svg|tar|tgz|ttf|txt|wasm|wav|webm|webmanifest|webp|whl|woff2?|xlsx?|xml|xz|ya?ml|zip|7z)$/i

/**
 * Returns the key of the page that an own URL leads to: the URL without query, fragment, final slash and index.html. `/a`
 * and `/a.html` have different keys; only their answers show whether they are the same page.
 */
export function linkKey(url: URL): string {
  if (fileExtension.test(url.pathname)) return assetKey(url)
  const path = url.pathname.replace(/\/index\.html$/, '/').replace(/(?<!\/)\/+$/, '')
  return url.origin + (path === '' ? '/' : path)
}

/** Parameters that track a reader and do not identify a page. */
const tracking = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|_ga|_gl|_hs\w+|igshid)(?:=|$)/i

/** Decides whether an own URL has a query that may identify a page. Only the site's answers show whether the query does. */
export function isTellingQuery(url: URL): boolean {
  return url.search.length > 1 && !fileExtension.test(url.pathname) && tellingQuery(url) !== ''
}

/** Returns the key of a page that shares its path with other pages and differs in the query. */
export function queryKey(url: URL): string {
  return `${linkKey(url)}?${tellingQuery(url)}`
}

/** Returns the URL to request for a page that its query identifies. */
export function queryTarget(url: URL): URL {
  const target = new URL(url)
  target.hash = ''
  target.search = tellingQuery(url)
  return target
}

function tellingQuery({ search }: URL): string {
  const parameters = search.slice(1).split('&')
  return parameters.filter(parameter => parameter !== '' && !tracking.test(parameter)).join('&')
}

/** Returns the key of the file that a URL leads to: everything but the fragment. */
export function assetKey(url: URL): string {
  return url.origin + url.pathname + url.search
}

/** Returns the URL to request for a link: without query and fragment for a page, with the query for a file. */
export function linkTarget(url: URL): URL {
  const target = new URL(url)
  target.hash = ''
  if (!fileExtension.test(target.pathname)) target.search = ''
  return target
}

const maxUrlLength = 2000
/** Longer paths stay as they are: no server answers them. */
const maxNormalized = 10_000
const maxSegments = 250

/** Decides whether a URL seems to come from a loop of relative links: it is very deep or has the same folder many times. */
export function isTrap(url: URL): boolean {
  if (url.href.length > maxUrlLength) return true
  const segments = url.pathname.split('/').filter(segment => segment !== '')
  if (segments.length > maxSegments) return true
  const counts = new Map<string, number>()
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1
    if (count > 4) return true
    counts.set(segment, count)
  }
  return false
}

/**
 * Returns one spelling per path: unreserved characters unescaped, other escapes in upper case, no double slashes (RFC 3986,
 * 6.2.2).
 */
export function normalizePath(path: string): string {
  if (path.length > maxNormalized) return path
  const collapsed = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
  if (!collapsed.includes('%')) return collapsed
  return collapsed.replace(/%[0-9a-f]{2}/gi, escaped => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase()
  })
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

// Apps without a server side identify their pages by the fragment: `/#/guide?id=install` is the page /guide of the app at `/`.
// The text after `?id=` or after a second `#` is an anchor in that page.

const shape = /^#(\/[^?#]*)(?:\?([^#]*))?(?:#(.*))?$/

/** Returns the page of an app that the fragment of a URL may name, such as `/guide`; null for an ordinary fragment. */
export function routeOf({ hash, origin }: URL): string | null {
  const route = hash.startsWith('#/') ? shape.exec(hash)?.[1] : undefined
  return route === undefined ? null : normalizePath((URL.parse(origin + route) ?? new URL(origin)).pathname)
}

/** Returns the key of the app page at an own URL. The first page and URLs without a route have the key of the app. */
export function routeKey(url: URL): string {
  const route = routeOf(url)
  return linkKey(url) + (route === null || route === '/' ? '' : `#${route}`)
}

/** Returns the anchor that a URL names in an app page, with its `#`; empty for the top of the page. */
export function routeAnchor({ hash }: URL): string {
  const [, , query = '', anchor] = shape.exec(hash) ?? []
  const id = anchor ?? /(?:^|&)id=([^&]*)/.exec(query)?.[1]
  return id ? `#${id}` : ''
}

/** Decides whether a key belongs to a page of an app other than the app's first page. */
export function isRouteKey(key: string): boolean {
  return key.includes('#')
}

/** Returns the key of the app that a page belongs to. */
export function appKey(key: string): string {
  return key.split('#', 1)[0] ?? key
}

/** Returns the address of an app page without the fragment, below the address of the app: `/guide` for `/#/guide`. */
export function routePlace(key: string): URL {
  const url = new URL(key)
  const folder = url.pathname.replace(/\.x?html?$/i, '').replace(/\/$/, '')
  url.pathname = folder + (routeOf(url) ?? '/')
  url.hash = ''
  return url
}

/** Returns the address of an app page as an HTML file: `/guide.html` for `/#/guide`. */
export function routeFile(key: string): URL {
  const url = routePlace(key)
  if (!url.pathname.endsWith('/')) url.pathname += '.html'
  return url
}

/** Pages that the operator excludes. They are neither fetched nor packed, and links to them lead to the public site. */
export interface Exclusions {
  /** Decides whether the page at this own URL is excluded. */
  has(own: URL): boolean
  /** Records an excluded page for the report. */
  note(key: string, own: URL): void
  /** Returns the first excluded pages, sorted by key. */
  list(): { key: string; pattern: string }[]
  /** Returns sentences for the report. */
  notes(): string[]
}

/**
 * Creates the exclusions of one export.
 *
 * @param patterns see `parseAddressPattern`. A pattern matches every spelling of a page's path: `/a`, `/a/`,
 * `/a/index.html`.
 */
export function createExclusions(
  patterns: readonly string[],
  site: Pick<Site, 'domain' | 'origin' | 'online'>,
): Exclusions {
  const parsed = patterns.map(parseAddressPattern)
  const named = new Map<string, string>()
  const met = new Set<AddressPattern>()
  let isCut = false

  function matching(own: URL): AddressPattern[] {
    const places = [...new Set([own.host, site.domain])].flatMap(host =>
      spellings(own.pathname).map(pathname => ({ host, pathname, search: own.search })),
    )
    return parsed.filter(pattern => places.some(pattern.matches))
  }

  return {
    has: own => parsed.length > 0 && matching(own).length > 0,
    note(key, own) {
      const [first, ...more] = matching(own)
      if (!first) return
      for (const pattern of [first, ...more]) met.add(pattern)
      named.set(key, first.text)
      isCut = keepSmallestKeys(named, maxExcludedPages).length > 0 || isCut
    },
    list: () =>
      [...named]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, maxExcludedPages)
        .map(([key, pattern]) => ({ key, pattern })),
    notes() {
      const notes = parsed
        .filter(pattern => !met.has(pattern))
        .map(({ text }) => `The exclusion ${text} matched no page of the site.`)
      if (named.size > 0)
        notes.push(
          `Pages were excluded by your rules: links to them lead to ${site.online(site.origin).origin}. Scripts, data and search indexes of the site may still contain text from excluded pages.`,
        )
      if (isCut || named.size > maxExcludedPages)
        notes.push(`Only the first ${maxExcludedPages} excluded pages are listed.`)
      return notes
    },
  }
}

function spellings(path: string): string[] {
  const bare = path.replace(/\/index\.html$/, '/').replace(/(?<!\/)\/+$/, '')
  const found = new Set([path, `${bare}/`, ...(bare === '' ? [] : [bare])])
  for (const spelling of [...found]) if (spelling.includes('%')) found.add(decoded(spelling))
  return [...found]
}

/** Returns the path without percent escapes, as people write it. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
