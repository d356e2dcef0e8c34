import { linkKey, normalizePath } from './site.ts'

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
