// A long file: where each page and file is in the bundle, and what an address in a page becomes.
import type { UrlRole } from '../../web/html/page-links.ts'
import type { Outcomes, PageOutcome, Resource } from '../model/resource.ts'
import {
  appKey,
  assetKey,
  type Exclusions,
  isRouteKey,
  isTellingQuery,
  linkKey,
  queryKey,
  routeAnchor,
  routeKey,
  routeOf,
  routePlace,
  type Site,
} from '../model/site.ts'
import { relativeReference } from './layout.ts'

/** Target of an address in the finished bundle. */
type Destination =
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
  filesBelow(folder: URL | null): FileBelow[]
  /**
   * Returns the bundle folder for an address that ends in a slash. The result also ends in a slash; null when it has no
   * files.
   */
  findFolder(folder: URL): string | null
}

interface FileBelow {
  rest: string
  path: string
}

const maxHops = 10
/** Max folders of other hosts that are looked for, each among all files. Import maps name few. */
const maxFolders = 1000

/** Targets of addresses, by key. Contains only plain data, so it can be sent to another thread. */
export interface LinkTargets {
  pages: ReadonlyMap<string, PageTarget>
  files: ReadonlyMap<string, FileTarget>
  /** Maps the key of each duplicate page to the key of the kept page. */
  aliases: ReadonlyMap<string, string>
}

/** An undefined `path` means that the page or file is left out. */
type PageTarget =
  | { state: 'page'; path: string | undefined }
  | { state: 'file'; path: string | undefined }
  | { state: 'redirect'; to: string }
  | { state: 'elsewhere'; url: string }
  | { state: 'gone'; reason: string }

type FileTarget = { state: 'file'; path: string | undefined } | { state: 'gone'; reason: string }

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
  const lookup: Lookup = { site, targets, exclusions, folders: new Map() }
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
  /** The files below the folders of other hosts that were asked for. */
  folders: Map<string, FileBelow[]>
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

function filesBelow({ site, targets, folders }: Lookup, folder: URL | null): FileBelow[] {
  if (!folder?.href.endsWith('/') || site.own(folder)) return []
  const known = folders.get(folder.href)
  if (known || folders.size >= maxFolders) return known ?? []
  const found = [...targets.files]
    .flatMap(([key, target]) =>
      key.startsWith(folder.href) && target.state === 'file' && target.path !== undefined
        ? [{ rest: key.slice(folder.href.length), path: target.path }]
        : [],
    )
    .sort((a, b) => (a.rest < b.rest ? -1 : 1))
  folders.set(folder.href, found)
  return found
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

/** The replacement for an address, or the reason to drop it; undefined = unchanged. */
export type Change = { to: string } | { drop: 'dead' | 'missing' | 'removed' } | undefined

/** External addresses that a page may load: those of products whose feature is on. */
export interface Outside {
  isOutside(url: URL): boolean
  /** Content-Security-Policy sources for the page. */
  sources: readonly string[]
}

/** The page that contains the addresses. */
interface AddressContext {
  /** Base of relative addresses. */
  base: URL
  /** Whether the page has a base element. */
  hasBase: boolean
  /** Whether a browser rendered the page. The page in the bundle then has no scripts. */
  isRendered: boolean
  /** Path of the page in the bundle. */
  path: string
  map: BundleMap
  findings: RewriteFindings
  outside: Outside
  /** Whether the page is an app whose scripts handle links to the app's own pages. */
  isApp: boolean
}

/** Matches relative addresses that resolve to the same target from every page of a folder. */
const plainAddress = /^(?:\.{0,2}\/)?[\w.~%+-][\w./~%+-]*$/
/** Max cached addresses; pages of a folder share most of their links. */
const maxRelative = 100_000

/** Creates a function that decides the change of each address in one page. The function caches its results. */
export function createAddressChanger(context: AddressContext): (address: string, role: UrlRole) => Change {
  const changes = new Map<string, Change>()
  const { base } = context
  const baseFolder = base.origin + base.pathname.slice(0, base.pathname.lastIndexOf('/') + 1)
  return (address, role) => {
    const spelling = `${role} ${address}`
    if (changes.has(spelling)) return changes.get(spelling)
    const result = decide(context, baseFolder, address.trim(), role)
    changes.set(spelling, result)
    return result
  }
}

/** Decides whether the browser loads such an address without a click. */
function isLoaded(role: UrlRole): boolean {
  return role === 'asset' || role === 'script' || role === 'stylesheet'
}

function decide(context: AddressContext, baseFolder: string, address: string, role: UrlRole): Change {
  const { base, hasBase, isRendered, path, map, outside, isApp } = context
  if (role === 'hint' || role === 'refused') return { drop: 'removed' }
  // The scripts of a rendered page have already run.
  if (role === 'script' && isRendered) return { drop: 'removed' }
  if (address === '' || role === 'reference') return undefined
  const loads = isLoaded(role)
  const route = role === 'link' && !isApp && address.includes('#/') ? decideRoute(context, address) : null
  if (route) return route.change
  // The base element applies to links, but not to references within the page, such as an icon of an inline sprite.
  if (address.startsWith('#') && (loads || !hasBase)) return undefined
  const hash = address.indexOf('#')
  const bare = hash === -1 ? address : address.slice(0, hash)
  const spelling = plainAddress.test(bare) ? `${loads} ${baseFolder} ${bare}` : null
  const known = spelling === null ? undefined : map.relative.get(spelling)
  if (known !== undefined) return inside(path, known, address)
  const url = URL.parse(address, base)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return decideOtherScheme(address, url, role, isRendered)
  if (role !== 'link' && role !== 'option' && outside.isOutside(url))
    return /^https?:/i.test(address) ? undefined : { to: url.href }
  const destination = loads ? map.findFile(url) : map.findPage(url)
  // The value of an option may also be data that a script compares.
  if (role === 'option' && destination.kind !== 'inside') return undefined
  if (destination.kind !== 'inside') return decideOutside(context, { destination, url, address, role })
  if (spelling !== null && map.relative.size < maxRelative) map.relative.set(spelling, destination.path)
  return inside(path, destination.path, address)
}

/** Decides a link to a page of an app. The new link leads to the page's file. Returns null for other links. */
function decideRoute(context: AddressContext, address: string): { change: Change } | null {
  const { base, path, map } = context
  const url = URL.parse(address, base)
  const found = url && map.findRoute(url)
  if (!found) return null
  const { destination, anchor } = found
  if (destination.kind !== 'inside')
    return { change: decideOutside(context, { destination, url, address, role: 'link' }) }
  return { change: inside(path, destination.path, anchor) ?? { to: anchor } }
}

function decideOtherScheme(address: string, url: URL | null, role: UrlRole, isRendered: boolean): Change {
  if (/^(data|blob|about|mailto|tel|sms):/i.test(address)) return undefined
  if (url?.protocol === 'javascript:') return isRendered ? { drop: 'removed' } : undefined
  return isLoaded(role) || role === 'frame' ? { drop: 'missing' } : undefined
}

interface OutsideAddress {
  destination: Exclude<Destination, { kind: 'inside' }>
  url: URL
  address: string
  role: UrlRole
}

function decideOutside({ findings }: AddressContext, { destination, url, address, role }: OutsideAddress): Change {
  if (isLoaded(role)) {
    if (destination.kind === 'gone') findings.missingFile(url, destination.reason)
    return { drop: 'missing' }
  }
  if (role === 'frame') {
    const why = destination.kind === 'gone' ? destination.reason : 'a frame of another site'
    findings.missingFile(url, destination.kind === 'excluded' ? 'excluded by your rules' : why)
    return { drop: 'removed' }
  }
  if (destination.kind === 'gone') {
    findings.deadLink(url, destination.reason)
    return { drop: 'dead' }
  }
  // Addresses without a scheme and addresses that redirect elsewhere become full addresses.
  const hasMoved = destination.url.href !== url.href
  return hasMoved || !/^https?:/i.test(address) ? { to: destination.url.href } : undefined
}

function inside(path: string, to: string, address: string): Change {
  const reference = referTo(path, to, address)
  return reference === undefined ? undefined : { to: reference }
}

/** Collects the pages and files that a page refers to but that are missing from the bundle. */
export interface RewriteFindings {
  deadLink(url: URL, reason: string): void
  missingFile(url: URL, reason: string): void
}
