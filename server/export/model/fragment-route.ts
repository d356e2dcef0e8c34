import { linkKey, normalizePath } from './site.ts'

// Apps without a server side identify their pages by the fragment: `/#/guide?id=install` is the page /guide of the app at `/`.
// The text after `?id=` or after a second `#` is an anchor in that page.

const shape = /^#(\/[^?#]*)(?:\?([^#]*))?(?:#(.*))?$/

/** The page of an app that the fragment of a URL may name, such as `/guide`; null for an ordinary fragment. */
export function routeOf({ hash, origin }: URL): string | null {
  const route = hash.startsWith('#/') ? shape.exec(hash)?.[1] : undefined
  return route === undefined ? null : normalizePath((URL.parse(origin + route) ?? new URL(origin)).pathname)
}

/** The key of the app page that an own URL leads to. The first page, and a URL without a route, have the key of the app. */
export function routeKey(url: URL): string {
  const route = routeOf(url)
  return linkKey(url) + (route === null || route === '/' ? '' : `#${route}`)
}

/** The anchor in such a page that a URL leads to, with its `#`; empty for the top. */
export function routeAnchor({ hash }: URL): string {
  const [, , query = '', anchor] = shape.exec(hash) ?? []
  const id = anchor ?? /(?:^|&)id=([^&]*)/.exec(query)?.[1]
  return id ? `#${id}` : ''
}

/** Whether a key belongs to a page of an app other than its first. */
export function isRouteKey(key: string): boolean {
  return key.includes('#')
}

/** The key of the app that a page belongs to. */
export function appKey(key: string): string {
  return key.split('#', 1)[0] ?? key
}

/** The address of such a page without the fragment: `/guide` for `/#/guide`, below the address of the app. */
export function routePlace(key: string): URL {
  const url = new URL(key)
  const folder = url.pathname.replace(/\.x?html?$/i, '').replace(/\/$/, '')
  url.pathname = folder + (routeOf(url) ?? '/')
  url.hash = ''
  return url
}

/** The same address as that of a file: /guide.html. */
export function routeFile(key: string): URL {
  const url = routePlace(key)
  if (!url.pathname.endsWith('/')) url.pathname += '.html'
  return url
}
