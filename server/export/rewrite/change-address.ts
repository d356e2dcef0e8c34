import type { UrlRole } from '../../web/html/url-attributes.ts'
import { type BundleMap, type Destination, referTo } from './bundle-map.ts'
import type { RewriteFindings } from './findings.ts'

/** The replacement for an address, or the reason to drop it; undefined = unchanged. */
export type Change = { to: string } | { drop: 'dead' | 'missing' | 'removed' } | undefined

/** External addresses that a page may load: those of products whose feature is on. */
export interface Outside {
  isOutside(url: URL): boolean
  /** Content-Security-Policy sources for the page. */
  sources: readonly string[]
}

/** The page that contains the addresses. */
export interface AddressContext {
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
  if (role !== 'link' && outside.isOutside(url)) return /^https?:/i.test(address) ? undefined : { to: url.href }
  const destination = loads ? map.findFile(url) : map.findPage(url)
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
