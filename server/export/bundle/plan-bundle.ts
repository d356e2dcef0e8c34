import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { PageOutcome, Resource } from '../model/resource.ts'
import { isRouteKey, linkKey, routeFile } from '../model/site.ts'

import type { BundleMap } from '../rewrite/bundle-map.ts'
import { type Placed, planFolderStubs, planLayout, type Redirect } from '../rewrite/layout.ts'

/** Paths in the bundle, by key. */
export interface BundlePlan {
  pages: ReadonlyMap<string, string>
  files: ReadonlyMap<string, string>
  redirects: ReadonlyMap<string, string>
  /** Redirects for hosts that lead from the address of a page to a folder of that name. */
  stubs: readonly Redirect[]
}

interface Item extends Placed {
  into: Exclude<keyof BundlePlan, 'stubs'>
  /** The key of the page or file that this item places. */
  own: string
}

/** Places pages, files and redirects together, to prevent name collisions. */
export function planBundle(collected: CollectedSite, aliases: ReadonlyMap<string, string>): BundlePlan {
  const spellings = findSpellings(collected.pages, aliases)
  const items = [...listPages(collected, aliases, spellings), ...listFiles(collected)]
  const placed = planLayout(items)
  const plan = { pages: new Map<string, string>(), files: new Map(), redirects: new Map() }
  for (const item of items) plan[item.into].set(item.own, placed.get(item.key) ?? '')
  const addresses = items.flatMap(({ into, url, own }) => (into === 'pages' ? [{ url, key: own }] : []))
  for (const [own, key] of spellings) addresses.push({ url: new URL(own), key })
  const known = addresses.map(({ url, key }) => ({ url, path: plan.pages.get(key) ?? '' }))
  return { ...plan, stubs: planFolderStubs(known, placed.values()) }
}

/**
 * Finds the second names of pages that need no redirect, and the keys of these pages. `/a` and `/a.html` are both a.html:
 * a host that guesses extensions shows the file for both.
 */
function findSpellings(
  pages: CollectedSite['pages'],
  aliases: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const bare = ({ pathname, search }: URL) => pathname.replace(/\.html$/i, '') + search
  const spellings = new Map<string, string>()
  for (const [own, outcome] of pages) {
    const to = outcome.state === 'redirect' ? outcome.to : own
    const key = aliases.get(to) ?? to
    const kept = key === own || isRouteKey(own) ? undefined : pages.get(key)
    if (kept?.state !== 'page') continue
    const address = outcome.state === 'page' ? pageAddress(own, outcome.resource) : new URL(own)
    if (bare(address) === bare(pageAddress(key, kept.resource))) spellings.set(own, key)
  }
  return spellings
}

function listPages(
  { pages }: CollectedSite,
  aliases: ReadonlyMap<string, string>,
  spellings: ReadonlyMap<string, string>,
): Item[] {
  const shared = { isPage: true, sha256: '', external: false }
  return [...pages].flatMap(([own, outcome]): Item[] => {
    const isRoute = isRouteKey(own)
    if (outcome.state === 'page' && !aliases.has(own)) {
      const url = isRoute ? routeFile(own) : pageAddress(own, outcome.resource)
      const key = `${isRoute ? 'route' : 'page'} ${own}`
      return [{ ...shared, key, own, into: 'pages', url, type: outcome.resource.type }]
    }
    const url = isRoute ? routeFile(own) : new URL(own)
    if (!isOtherName(outcome, url, isRoute) || spellings.has(own)) return []
    // A redirect has no relative links, and every host shows the index file of a folder.
    if (!/\.x?html?$/i.test(url.pathname)) url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/')
    return [{ ...shared, isRedirect: true, key: `redirect ${own}`, own, into: 'redirects', url, type: 'text/html' }]
  })
}

/** Returns the address of a page as the site spells it. The key of a page has no final slash. */
function pageAddress(own: string, { url }: Pick<Resource, 'url'>): URL {
  const address = new URL(own)
  // The scripts of a rendered page may have changed its address.
  if (linkKey(url) === own.split('?', 1)[0]) address.pathname = url.pathname
  return address
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
