import type { CollectedSite } from '../crawl/collected-site.ts'
import { isRouteKey, routeFile } from '../model/fragment-route.ts'
import type { PageOutcome } from '../model/resource.ts'
import type { BundleMap } from '../rewrite/bundle-map.ts'
import { type Placed, planLayout } from '../rewrite/layout.ts'

/** Paths in the bundle, by key. */
export interface BundlePlan {
  pages: ReadonlyMap<string, string>
  files: ReadonlyMap<string, string>
  redirects: ReadonlyMap<string, string>
}

/** A page of the bundle that redirects to another page. Both are paths in the bundle. */
export interface Redirect {
  path: string
  to: string
}

interface Item extends Placed {
  into: keyof BundlePlan
  /** The key of the page or file that this item places. */
  own: string
}

/** Places pages, files and redirects together, to prevent name collisions. */
export function planBundle(collected: CollectedSite, aliases: ReadonlyMap<string, string>): BundlePlan {
  const items = [...listPages(collected, aliases), ...listFiles(collected)]
  const placed = planLayout(items)
  const plan = { pages: new Map(), files: new Map(), redirects: new Map() }
  for (const item of items) plan[item.into].set(item.own, placed.get(item.key) ?? '')
  return plan
}

function listPages({ pages }: CollectedSite, aliases: ReadonlyMap<string, string>): Item[] {
  return [...pages].flatMap(([own, outcome]): Item[] => {
    const isRoute = isRouteKey(own)
    const url = isRoute ? routeFile(own) : new URL(own)
    if (outcome.state === 'page' && !aliases.has(own)) {
      const { type } = outcome.resource
      const key = `${isRoute ? 'route' : 'page'} ${own}`
      return [{ key, own, into: 'pages', url, isPage: true, type, sha256: '', external: false }]
    }
    if (!isOtherName(outcome, url, isRoute)) return []
    const key = `redirect ${own}`
    return [{ key, own, into: 'redirects', url, isPage: true, type: 'text/html', sha256: '', external: false }]
  })
}

/**
 * Decides whether a key is another name of a page. Such names become redirects: a reader may know one, and an app's own
 * navigation may use it.
 */
function isOtherName(outcome: PageOutcome, { pathname }: URL, isRoute: boolean): boolean {
  if (outcome.state === 'page') return true
  return outcome.state === 'redirect' && !isRoute && !/\.(?!x?html?$)[a-z0-9]{1,8}$/i.test(pathname)
}

function listFiles({ site, files }: CollectedSite): Item[] {
  return [...files].flatMap(([own, outcome]): Item[] => {
    if (outcome.state !== 'file') return []
    const { type, sha256 } = outcome.resource
    const external = !site.own(new URL(own))
    // Scripts of other hosts load files relative to their URL after redirects.
    const url = external ? outcome.resource.url : new URL(own)
    return [{ key: `file ${own}`, own, into: 'files', url, isPage: false, type, sha256, external }]
  })
}

/** Returns the redirects whose target page is in the bundle. */
export function planRedirects({ redirects }: BundlePlan, map: BundleMap): Redirect[] {
  return [...redirects].flatMap(([key, path]) => {
    const destination = map.findPage(new URL(key))
    return destination.kind === 'inside' && destination.path !== path ? [{ path, to: destination.path }] : []
  })
}

/** Returns a redirect to the start page if the bundle has no page at its root, where readers open it. */
export function planEntrance(plan: BundlePlan, start: URL, map: BundleMap): Redirect[] {
  const taken = [...plan.pages.values(), ...plan.redirects.values(), ...plan.files.values()]
  if (taken.includes('index.html')) return []
  const begin = map.findPage(start)
  const to = begin.kind === 'inside' ? begin.path : [...plan.pages.values()].sort()[0]
  return to ? [{ path: 'index.html', to }] : []
}
