import type { Exclusions } from '../model/exclusions.ts'
import { appKey, isRouteKey, routeAnchor, routeKey, routeOf, routePlace } from '../model/fragment-route.ts'
import type { Outcomes, PageOutcome, Resource } from '../model/resource.ts'
import { assetKey, isTellingQuery, linkKey, queryKey, type Site } from '../model/site.ts'
import { relativeReference } from './layout.ts'

/** Target of an address in the finished bundle. */
export type Destination =
  | { kind: 'inside'; path: string }
  /** An external address. Pages may link to it but may not load it. */
  | { kind: 'elsewhere'; url: URL }
  /** A page that the operator excluded; `url` is its public address. */
  | { kind: 'excluded'; url: URL }
  | { kind: 'gone'; reason: string }

export interface BundleMap {
  /** Finds the target of a link or frame. */
  findPage(url: URL): Destination
  /**
   * Finds the target of a link whose fragment names a page of an app. `anchor` is the anchor in that page, such as
   * `#install`. Returns null if the address does not lead to such an app.
   */
  findRoute(url: URL): { destination: Destination; anchor: string } | null
  /** Finds the target of a file that a page loads. */
  findFile(url: URL): Destination
  /** Caches resolved relative addresses, by purpose, folder and spelling. */
  relative: Map<string, string>
  /**
   * Lists the bundled files of other hosts below `folder`, which must end in a slash; `rest` is the part of the address
   * after it.
   */
  filesBelow(folder: URL | null): { rest: string; path: string }[]
  /**
   * Returns the bundle folder for an address that ends in a slash. The result also ends in a slash; null when it has no
   * files.
   */
  findFolder(folder: URL): string | null
}

const maxHops = 10

/** Targets of addresses, by key. Contains only plain data, so it can be sent to another thread. */
export interface LinkTargets {
  pages: ReadonlyMap<string, PageTarget>
  files: ReadonlyMap<string, FileTarget>
  /** Maps the key of each duplicate page to the key of the kept page. */
  aliases: ReadonlyMap<string, string>
}

/** An undefined `path` means that the page or file is left out. */
export type PageTarget =
  | { state: 'page'; path: string | undefined }
  | { state: 'file'; path: string | undefined }
  | { state: 'redirect'; to: string }
  | { state: 'elsewhere'; url: string }
  | { state: 'gone'; reason: string }

export type FileTarget = { state: 'file'; path: string | undefined } | { state: 'gone'; reason: string }

/**
 * Plans the target of each page and file.
 *
 * @param plan bundle paths, by key of the page or file.
 * @param aliases maps the keys of duplicate pages to the keys of kept pages.
 */
export function planTargets(
  state: Outcomes,
  plan: { pages: ReadonlyMap<string, string>; files: ReadonlyMap<string, string> },
  aliases: ReadonlyMap<string, string>,
): LinkTargets {
  const pages = new Map<string, PageTarget>()
  for (const [key, outcome] of state.pages) {
    if (outcome.state === 'page') pages.set(key, { state: 'page', path: plan.pages.get(key) })
    else if (outcome.state === 'file') pages.set(key, { state: 'file', path: plan.files.get(outcome.key) })
    else if (outcome.state === 'redirect') pages.set(key, { state: 'redirect', to: outcome.to })
    else if (outcome.state === 'elsewhere') pages.set(key, { state: 'elsewhere', url: outcome.url.href })
    else pages.set(key, { state: 'gone', reason: outcome.reason })
  }
  const files = new Map<string, FileTarget>()
  for (const [key, outcome] of state.files) {
    if (outcome.state === 'file') files.set(key, { state: 'file', path: plan.files.get(key) })
    else files.set(key, { state: 'gone', reason: outcome.reason })
  }
  return { pages, files, aliases }
}

export function createBundleMap(site: Site, targets: LinkTargets, exclusions: Pick<Exclusions, 'has'>): BundleMap {
  const lookup: Lookup = { site, targets, exclusions }
  const apps = new Set([...targets.pages.keys()].filter(isRouteKey).map(appKey))
  return {
    relative: new Map(),
    findPage: url => findPage(lookup, url),
    findFile: url => findFile(lookup, url),
    filesBelow: folder => filesBelow(lookup, folder),
    findFolder(folder) {
      const own = site.own(folder)
      if (own) return own.pathname.slice(1)
      const natural = filesBelow(lookup, folder).find(({ rest, path }) => path.endsWith(`/${rest}`))
      return natural ? natural.path.slice(0, -natural.rest.length) : null
    },
    findRoute(url) {
      if (apps.size === 0 || routeOf(url) === null) return null
      const own = site.own(url)
      if (!own || !apps.has(linkKey(own))) return null
      own.hash = url.hash
      const key = routeKey(own)
      const isLeftOut = exclusions.has(routePlace(key))
      const destination = isLeftOut ? { kind: 'excluded' as const, url: site.online(own) } : follow(lookup, key, own)
      return { destination, anchor: routeAnchor(url) }
    },
  }
}

/** Data for resolving addresses. */
interface Lookup {
  site: Site
  targets: LinkTargets
  exclusions: Pick<Exclusions, 'has'>
}

function findPage(lookup: Lookup, url: URL): Destination {
  const { site, targets, exclusions } = lookup
  const own = site.own(url)
  if (!own) return { kind: 'elsewhere', url }
  if (exclusions.has(own)) {
    // If a page shows an excluded file, the bundle contains the file.
    const file = findFile(lookup, own)
    own.hash = url.hash
    return file.kind === 'inside' ? file : { kind: 'excluded', url: site.online(own) }
  }
  const told = isTellingQuery(own) ? queryKey(own) : ''
  own.hash = url.hash
  return follow(lookup, targets.pages.has(told) ? told : linkKey(own), own)
}

function findFile({ site, targets }: Lookup, url: URL): Destination {
  const target = targets.files.get(assetKey(site.own(url) ?? url))
  if (target?.state === 'file') return placed(target.path)
  return { kind: 'gone', reason: target?.reason ?? 'not fetched' }
}

function filesBelow({ site, targets }: Lookup, folder: URL | null): { rest: string; path: string }[] {
  if (!folder?.href.endsWith('/') || site.own(folder)) return []
  return [...targets.files]
    .flatMap(([key, target]) =>
      key.startsWith(folder.href) && target.state === 'file' && target.path !== undefined
        ? [{ rest: key.slice(folder.href.length), path: target.path }]
        : [],
    )
    .sort((a, b) => (a.rest < b.rest ? -1 : 1))
}

/** Follows redirects and aliases to the final target. */
function follow({ site, targets, exclusions }: Lookup, start: string, own: URL): Destination {
  const { pages, files, aliases } = targets
  let key = start
  for (let hop = 0; hop < maxHops; hop += 1) {
    key = aliases.get(key) ?? key
    const target = pages.get(key)
    if (target?.state === 'page' || target?.state === 'file') return placed(target.path)
    if (target?.state === 'elsewhere') return { kind: 'elsewhere', url: new URL(target.url) }
    if (target?.state === 'redirect') {
      key = target.to
      if (exclusions.has(new URL(key))) return { kind: 'excluded', url: site.online(new URL(key + own.hash)) }
      continue
    }
    const file = hop === 0 ? files.get(assetKey(own)) : undefined
    if (file?.state === 'file') return placed(file.path)
    if (target) return { kind: 'gone', reason: target.reason }
    // Addresses on the site's host outside the scope count as external.
    return site.isBeside(own)
      ? { kind: 'elsewhere', url: site.online(own) }
      : { kind: 'gone', reason: 'not among the exported pages' }
  }
  return { kind: 'gone', reason: 'redirects in a circle' }
}

function placed(path: string | undefined): Destination {
  return path === undefined ? { kind: 'gone', reason: 'left out' } : { kind: 'inside', path }
}

/**
 * Finds pages that are the same under `/a` and `/a.html`, and maps the dropped name to the kept one. Keeps the kind of name
 * that most other pages have.
 */
export function findAliases(pages: ReadonlyMap<string, PageOutcome>): Map<string, string> {
  const twins: [string, string][] = []
  let ahead = 0
  for (const [key, outcome] of pages) {
    if (outcome.state !== 'page') continue
    const isNamed = key.endsWith('.html')
    const shorter = isNamed ? pages.get(key.slice(0, -5)) : undefined
    if (shorter?.state === 'page' && isSame(shorter.resource, outcome.resource)) {
      twins.push([shorter.resource.key, key])
      // Undo the count of the shorter name.
      ahead += isFolder(shorter.resource.url) ? 0 : 1
    } else if (isNamed) ahead += 1
    else if (!isFolder(outcome.resource.url)) ahead -= 1
  }
  return new Map(twins.map(([short, long]) => (ahead > 0 ? [short, long] : [long, short])))
}

/**
 * Decides whether a page is the index of a folder. Such a page has the same name whether the site uses `/a` or `/a.html`.
 */
function isFolder({ pathname }: URL): boolean {
  return /\/(?:index\.x?html?)?$/i.test(pathname)
}

function isSame(a: Resource, b: Resource): boolean {
  return a.sha256 === b.sha256 && !a.rendered && !b.rendered
}

/**
 * Returns the reference from one file of the bundle to another; undefined when the address is already that reference.
 *
 * @param address as written in the file; its query and fragment are kept.
 */
export function referTo(from: string, to: string, address: string): string | undefined {
  const at = address.search(/[?#]/)
  const path = at === -1 ? address : address.slice(0, at)
  const rest = at === -1 ? '' : address.slice(at)
  const reference = from === to && rest !== '' ? '' : relativeReference(from, to)
  return path === reference ? undefined : reference + rest
}
