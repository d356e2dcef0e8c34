import { linkKey, normalizePath } from './site.ts'

// Apps that need nothing of their server tell their pages apart by the fragment: `/#/guide?id=install` is the page /guide of
// the app at `/`, and what follows `?id=` or a second `#` is a place in it.

const shape = /^#(\/[^?#]*)(?:\?([^#]*))?(?:#(.*))?$/

/** The page of an app that the fragment of a URL may name, such as `/guide`; null for an ordinary fragment. */
export function routeOf({ hash, origin }: URL): string | null {
  const route = hash.startsWith('#/') ? shape.exec(hash)?.[1] : undefined
  return route === undefined ? null : normalizePath((URL.parse(origin + route) ?? new URL(origin)).pathname)
}

/** Names the page of an app that an own URL leads to; for the first one, and without a route, that is the key of the app. */
export function routeKey(url: URL): string {
  const route = routeOf(url)
  return linkKey(url) + (route === null || route === '/' ? '' : `#${route}`)
}

/** The place in such a page that a URL leads to, with its `#`; empty for its top. */
export function routeAnchor({ hash }: URL): string {
  const [, , query = '', anchor] = shape.exec(hash) ?? []
  const id = anchor ?? /(?:^|&)id=([^&]*)/.exec(query)?.[1]
  return id ? `#${id}` : ''
}

/** Whether a key names a page of an app other than its first. */
export function isRouteKey(key: string): boolean {
  return key.includes('#')
}

/** The key of the app that a page belongs to, by the key of the page. */
export function appKey(key: string): string {
  return key.split('#', 1)[0] ?? key
}

/** What the address of such a page would be if it had one of its own: `/guide` for `/#/guide`, below the app's own address. */
export function routePlace(key: string): URL {
  const url = new URL(key)
  const folder = url.pathname.replace(/\.x?html?$/i, '').replace(/\/$/, '')
  url.pathname = folder + (routeOf(url) ?? '/')
  url.hash = ''
  return url
}

/** The same as the address of a file: /guide.html. */
export function routeFile(key: string): URL {
  const url = routePlace(key)
  if (!url.pathname.endsWith('/')) url.pathname += '.html'
  return url
}
