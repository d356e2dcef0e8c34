import { writeAsAscii } from '../../web/html/ascii-text.ts'
import { type Attribute, findAttribute, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { documentBase, maxFrameDepth, refreshTarget } from '../../web/html/page-links.ts'
import { isExecutable, isImportMap } from '../../web/html/page-text.ts'
import { createSplices } from '../../web/html/splice.ts'
import { replaceSrcset } from '../../web/html/srcset.ts'
import { decodeAttribute, decodeRaw, encodeAttribute, type RawText, rawOf } from '../../web/html/text-encoding.ts'
import { type UrlRole, urlAttributes } from '../../web/html/url-attributes.ts'
import type { Resource } from '../model/resource.ts'
import { type SearchPlace, searchScriptPath } from '../model/search-files.ts'
import { type BundleMap, type Destination, referTo } from './bundle-map.ts'
import type { RewriteFindings } from './findings.ts'
import { relativeReference } from './layout.ts'
import { rewriteImportMap, rewriteScript } from './rewrite-script.ts'
import { type Change, rewriteCss } from './rewrite-stylesheet.ts'
import { sealMarkup, sealNonce, sealPosition } from './seal.ts'

/** What a page may load from its vendor: products whose feature is on. */
export interface Outside {
  isOutside(url: URL): boolean
  /** Sources for the policy of the page. */
  sources: readonly string[]
}

export interface RewriteOptions {
  outside?: Outside
  /** Path of a script that pages load before their own; null = none. */
  loader?: string | null
  /** How the page loads the search of the bundle; null = not at all. */
  search?: SearchPlace | null
  /** Markup that starts an app in the place of this page; null = there is none. */
  app?: string | null
  /** Whether the page is an app that follows links to its own pages by itself. */
  isApp?: boolean
  /** How many pages this one stands in, as the frame of another. */
  depth?: number
}

const sealedOff: Outside = { isOutside: () => false, sources: [] }

/** A path that leads from every page of a folder to the same place. */
const plainAddress = /^(?:\.{0,2}\/)?[\w.~%+-][\w./~%+-]*$/
/** Pages of a folder share most of their links; so many are remembered. */
const maxRelative = 100_000

/**
 * The page as it goes into the bundle: addresses relative or gone, sealed by a policy; all else as it was, though text in an
 * old encoding is spelled in ASCII.
 *
 * @param path of the page in the bundle.
 */
export function rewritePage(
  raw: RawText,
  page: Pick<Resource, 'url' | 'rendered'>,
  path: string,
  map: BundleMap,
  findings: RewriteFindings,
  { outside = sealedOff, loader = null, search = null, app = null, isApp = false, depth = 0 }: RewriteOptions = {},
): string {
  const { text, charset } = raw
  const base = documentBase(raw, page.url)
  const hasBase = base !== page.url
  const baseFolder = base.origin + base.pathname.slice(0, base.pathname.lastIndexOf('/') + 1)
  const splices = createSplices(text)
  const changes = new Map<string, Change>()
  let headEnd: number | null = null
  let htmlEnd: number | null = null
  let hasIcon = false
  let hasScripts = false

  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)

  function change(address: string, role: UrlRole): Change {
    const spelling = `${role} ${address}`
    if (changes.has(spelling)) return changes.get(spelling)
    const result = decide(address.trim(), role)
    changes.set(spelling, result)
    return result
  }

  function decide(address: string, role: UrlRole): Change {
    if (role === 'hint' || role === 'refused') return { drop: 'removed' }
    // A rendered page has no use for scripts any more.
    if (role === 'script' && page.rendered) return { drop: 'removed' }
    if (address === '' || role === 'reference') return undefined
    const loads = role === 'asset' || role === 'script' || role === 'stylesheet'
    const route = role === 'link' && !isApp && address.includes('#/') ? changeRoute(address) : null
    if (route) return route.change
    // A link follows the base element; what is drawn with a part of the page, such as an icon of a sprite in it, does not.
    if (address.startsWith('#') && (loads || !hasBase)) return undefined
    const hash = address.indexOf('#')
    const bare = hash === -1 ? address : address.slice(0, hash)
    const spelling = plainAddress.test(bare) ? `${loads} ${baseFolder} ${bare}` : null
    const known = spelling === null ? undefined : map.relative.get(spelling)
    if (known !== undefined) return inside(known, address)
    const url = URL.parse(address, base)
    if (/^(data|blob|about|mailto|tel|sms):/i.test(address)) return undefined
    if (url?.protocol === 'javascript:') return page.rendered ? { drop: 'removed' } : undefined
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
      return loads || role === 'frame' ? { drop: 'missing' } : undefined
    const stays = role !== 'link' && outside.isOutside(url)
    if (stays) return /^https?:/i.test(address) ? undefined : { to: url.href }
    const destination = loads ? map.findFile(url) : map.findPage(url)
    if (destination.kind === 'inside') {
      if (spelling !== null && map.relative.size < maxRelative) map.relative.set(spelling, destination.path)
      return inside(destination.path, address)
    }
    if (loads) {
      if (destination.kind === 'gone') findings.missingFile(url, destination.reason)
      return { drop: 'missing' }
    }
    return decideOutside(destination, url, address, role)
  }

  /** A link to a page of an app, to where that page is of its own; null = it is none. */
  function changeRoute(address: string): { change: Change } | null {
    const url = URL.parse(address, base)
    const found = url && map.findRoute(url)
    if (!found) return null
    const { destination, anchor } = found
    if (destination.kind !== 'inside') return { change: decideOutside(destination, url, address, 'link') }
    return { change: inside(destination.path, anchor) ?? { to: anchor } }
  }

  function inside(to: string, address: string): Change {
    const reference = referTo(path, to, address)
    return reference === undefined ? undefined : { to: reference }
  }

  function decideOutside(destination: Destination, url: URL, address: string, role: UrlRole): Change {
    if (role === 'frame') {
      const why = destination.kind === 'gone' ? destination.reason : 'a frame of another site'
      findings.missingFile(url, destination.kind === 'excluded' ? 'left out by choice' : why)
      return { drop: 'removed' }
    }
    if (destination.kind === 'elsewhere' || destination.kind === 'excluded') {
      // An address without scheme, or one that a redirect took elsewhere, has to be written out.
      const moved = destination.url.href !== url.href
      return moved || !/^https?:/i.test(address) ? { to: destination.url.href } : undefined
    }
    if (destination.kind === 'gone') findings.deadLink(url, destination.reason)
    return { drop: 'dead' }
  }

  function write(attribute: Attribute, newValue: string) {
    const quoted = `"${encodeAttribute(newValue, charset)}"`
    const before = attribute.quote === '' ? 0 : 1
    splices.replace(attribute.start - before, attribute.outerEnd, quoted)
  }

  /** Keeps the address where people and programs can read it and nothing loads it. */
  function disable(attribute: Attribute, why: 'dead' | 'missing' | 'removed') {
    splices.replace(
      attribute.nameStart,
      attribute.outerEnd,
      `data-quire-${why}="${encodeAttribute(value(attribute), charset)}"`,
    )
  }

  function removeAttribute(attribute: Attribute | undefined) {
    if (!attribute) return
    const before = /\s/.test(text.charAt(attribute.nameStart - 1)) ? 1 : 0
    splices.replace(attribute.nameStart - before, attribute.outerEnd, '')
  }

  function markDead(tag: Tag) {
    const classes = findAttribute(tag, 'class')
    if (!classes) splices.replace(tag.nameEnd, tag.nameEnd, ' class="quire-dead"')
    else if (classes.quote === '') write(classes, `${value(classes)} quire-dead`)
    else splices.replace(classes.end, classes.end, ' quire-dead')
  }

  function rewriteUrl(tag: Tag, attribute: Attribute, role: UrlRole) {
    const result = change(value(attribute), role)
    const as = findAttribute(tag, 'as')
    // Only a matter of speed, and an error on file://; what is fetched is in the bundle all the same.
    if (tag.name === 'link' && as && /^fetch$/i.test(value(as))) return disable(attribute, 'removed')
    if (result && 'to' in result) write(attribute, result.to)
    if (result && 'drop' in result) {
      disable(attribute, result.drop)
      if (result.drop === 'dead' && (tag.name === 'a' || tag.name === 'area')) markDead(tag)
    }
    const loads = role === 'script' || role === 'stylesheet' || (role === 'asset' && tag.name !== 'meta')
    if (loads) {
      // Bytes may change, and file:// has no origins: both attributes would keep the file from loading.
      removeAttribute(findAttribute(tag, 'integrity'))
      // A font is fetched that way whatever the page says; a preload without it would be a second request.
      if (!as || !/^font$/i.test(value(as))) removeAttribute(findAttribute(tag, 'crossorigin'))
    }
  }

  /** The page of a frame that stands in this one; its addresses are relative to this one's, in the bundle as well. */
  function rewriteInner(html: string): string {
    const raw = rawOf(html)
    const inner = rewritePage(raw, { url: base, rendered: page.rendered }, path, map, findings, {
      outside,
      depth: depth + 1,
    })
    return decodeRaw(inner, raw.charset)
  }

  function rewriteAttribute(tag: Tag, attribute: Attribute, role: UrlRole, syntax: string) {
    if (syntax === 'url') return rewriteUrl(tag, attribute, role)
    const old = value(attribute)
    if (syntax === 'srcset') {
      const now = replaceSrcset(old, url => pick(change(url, role), url))
      if (now === '') disable(attribute, 'missing')
      else if (now !== old) write(attribute, now)
    } else if (syntax === 'css') {
      const now = rewriteCss(old, (address, role) => change(address, role))
      if (now !== old) write(attribute, now)
    } else if (syntax === 'page') {
      const inner = depth < maxFrameDepth ? rewriteInner(old) : null
      if (inner === null) disable(attribute, 'removed')
      else write(attribute, inner)
    } else {
      const target = refreshTarget(old)
      if (!target) return
      const result = change(target.url, role)
      // A page that leaves by itself may only go to another page of the bundle.
      if (result && 'to' in result && !/^https?:/i.test(result.to)) {
        write(attribute, old.slice(0, target.start) + result.to + old.slice(target.start + target.url.length))
      } else if (result || /^https?:/i.test(target.url)) disable(attribute, 'removed')
    }
  }

  scanHtml(text, {
    tag(tag) {
      if (tag.name === 'head') headEnd ??= tag.end
      else if (tag.name === 'html') htmlEnd ??= tag.end
      if (tag.name === 'base') {
        const href = findAttribute(tag, 'href')
        if (href) disable(href, 'removed')
        return
      }
      if (tag.name === 'meta') {
        const equivalent = findAttribute(tag, 'http-equiv')
        // The site's own policy may name hosts whose files now lie in the bundle. Ours is stricter about the network.
        if (equivalent && /^content-security-policy/i.test(value(equivalent).trim()))
          return disable(equivalent, 'removed')
      }
      if (tag.name === 'link') {
        const rel = findAttribute(tag, 'rel')
        const href = findAttribute(tag, 'href')
        // One that is not there is none: the browser would ask the root of the host.
        const isIcon = href && rel && /(^|\s)icon(\s|$)/i.test(value(rel))
        if (isIcon && !isDropped(change(value(href), 'asset'))) hasIcon = true
      }
      for (const { attribute, role, syntax } of urlAttributes(tag, value))
        rewriteAttribute(tag, attribute, role, syntax)
      if (page.rendered)
        for (const handler of tag.attributes.filter(({ name }) => name.startsWith('on'))) removeAttribute(handler)
    },
    rawText(tag, start, end) {
      if (tag.name === 'style') {
        const old = text.slice(start, end)
        const now = rewriteCss(old, (address, role) => change(decodeRaw(address, charset), role))
        if (now !== old) splices.replace(start, end, now)
      } else if (isExecutable(tag, raw)) {
        hasScripts = true
        const old = text.slice(start, end)
        const place = { url: base, path, hasMoved: false }
        const now = page.rendered ? '' : rewriteScript({ text: old, charset }, place, map, findings)
        if (now !== old) splices.replace(start, end, now)
      } else if (isImportMap(tag, raw)) {
        splices.replace(start, end, rewriteImportMap({ text: text.slice(start, end), charset }, base, path, map))
      } else if (isSpeculation(tag, value)) splices.replace(start, end, '{}')
    },
  })
  const seal = sealPosition(text, headEnd, htmlEnd)
  const icon = hasIcon ? null : findIcon(page.url, path, map)
  const sealedSearch = search && {
    script: relativeReference(path, searchScriptPath),
    nonce: sealNonce(path, text),
    place: search,
  }
  const isInert = page.rendered && app === null
  splices.replace(seal, seal, sealMarkup(charset, isInert, icon, outside.sources, sealedSearch) + (app ?? ''))
  if (loader !== null && hasScripts && !page.rendered)
    splices.replace(seal, seal, `<script src="${relativeReference(path, loader)}"></script>`)
  return writeAsAscii({ text: splices.apply(), charset })
}

/** The icon that browsers ask for unasked, or an empty one so that they do not ask. */
function findIcon(pageUrl: URL, path: string, map: BundleMap): string {
  const icon = map.findFile(new URL('/favicon.ico', pageUrl))
  return icon.kind === 'inside' ? relativeReference(path, icon.path) : 'data:,'
}

function isDropped(result: Change): boolean {
  return result !== undefined && 'drop' in result
}

function pick(result: Change, address: string): string | null {
  if (!result) return address
  return 'to' in result ? result.to : null
}

/** Rules for loading pages ahead; no policy holds them back. */
function isSpeculation(tag: Tag, value: (attribute: Attribute) => string): boolean {
  const type = findAttribute(tag, 'type')
  return type !== undefined && value(type).trim().toLowerCase() === 'speculationrules'
}
