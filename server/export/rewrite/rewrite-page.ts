// A long file: all changes to the markup of a page, from its head to each attribute.
import { createHash } from 'node:crypto'
import { type Attribute, findAttribute, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { documentBase, maxFrameDepth, refreshTarget, type UrlRole, urlAttributes } from '../../web/html/page-links.ts'
import { isExecutable, isImportMap } from '../../web/html/page-text.ts'
import { createHeadStart, createSplices, type HeadStart, type Splices } from '../../web/html/splice.ts'

import { replaceSrcset } from '../../web/html/srcset.ts'
import {
  decodeAttribute,
  decodeRaw,
  encodeAttribute,
  type RawText,
  rawOf,
  writeAsAscii,
} from '../../web/html/text-encoding.ts'
import { packedScriptPath } from '../model/packed-files.ts'
import type { Resource } from '../model/resource.ts'
import { runtimePath } from '../model/runtime-file.ts'
import { type SearchPlace, searchScriptPath } from '../model/search-files.ts'
import { type BundleMap, type Change, createAddressChanger, type Outside, type RewriteFindings } from './bundle-map.ts'
import { relativeReference } from './layout.ts'
import { rewriteImportMap, rewriteScript } from './rewrite-script.ts'
import { rewriteCss } from './rewrite-stylesheet.ts'
import { stampMarkup } from './stamp.ts'

/** A page's place in the bundle, and the additions to the page. */
export interface PagePlace {
  page: Pick<Resource, 'url' | 'rendered'>
  /** Path of the page in the bundle. */
  path: string
  map: BundleMap
  findings: RewriteFindings
  outside?: Outside
  /** Path of a script that pages load before the site's scripts; null = none. */
  loader?: string | null
  /** Whether pages with scripts load the script that answers requests on file://. */
  hasPacked?: boolean
  /** How the page loads the bundle's search; null = not at all. */
  search?: SearchPlace | null
  /** The line at the end of the page; null = none. */
  stamp?: string | null
  /** Markup that starts an app and replaces this page; null = none. */
  app?: string | null
  /** Whether the page is an app whose scripts handle links to the app's own pages. */
  isApp?: boolean
  /** Nesting depth of a page in a frame of another page. */
  depth?: number
}

export const nothingOutside: Outside = { isOutside: () => false, sources: [] }

/**
 * Rewrites a page for the bundle. Addresses become relative or are disabled, and a Content-Security-Policy restricts
 * loading. Everything else stays the same, except that text in a legacy encoding is written in ASCII.
 */
export function rewritePage(raw: RawText, place: PagePlace): string {
  const { page, path, map, findings, outside = nothingOutside, isApp = false, depth = 0 } = place
  const splices = createSplices(raw.text)
  const editor = createAttributeEditor(raw, splices)
  const base = documentBase(raw, page.url)
  const isRendered = page.rendered
  const hasBase = base !== page.url
  const change = createAddressChanger({ base, hasBase, isRendered, path, map, findings, outside, isApp })
  const rewriting = {
    editor,
    change,
    // Addresses in a srcdoc page are relative to the address of the outer page, in the bundle as well.
    rewriteInner(html: string) {
      if (depth >= maxFrameDepth) return null
      const inner = rawOf(html)
      const rewritten = rewritePage(inner, {
        page: { url: base, rendered: isRendered },
        path,
        map,
        findings,
        outside,
        depth: depth + 1,
      })
      return decodeRaw(rewritten, inner.charset)
    },
  }
  const head: PageHead = { start: createHeadStart(), hasIcon: false, hasScripts: false }
  scanHtml(raw.text, {
    tag: tag => rewriteTag(tag, rewriting, head, isRendered),
    rawText(tag, start, end) {
      if (isExecutable(tag, raw)) head.hasScripts = true
      const old = raw.text.slice(start, end)
      const now = rewriteRawText({ text: old, charset: raw.charset }, { tag, raw, base, place, rewriting })
      if (now !== old) splices.replace(start, end, now)
    },
  })
  seal(raw, place, head, splices)
  return writeAsAscii({ text: splices.apply(), charset: raw.charset })
}

/** Results of the scan that decide the added markup. */
interface PageHead {
  start: HeadStart
  hasIcon: boolean
  hasScripts: boolean
}

function rewriteTag(tag: Tag, rewriting: AttributeRewriting, head: PageHead, isRendered: boolean): void {
  const { editor, change } = rewriting
  head.start.tag(tag)
  if (tag.name === 'base') {
    const href = findAttribute(tag, 'href')
    if (href) editor.disable(href, 'removed')
    return
  }
  if (tag.name === 'meta') {
    const equivalent = findAttribute(tag, 'http-equiv')
    // The site's policy may allow only hosts whose files are now in the bundle. Our policy is stricter.
    if (equivalent && /^content-security-policy/i.test(editor.value(equivalent).trim())) {
      editor.disable(equivalent, 'removed')
      return
    }
  }
  if (tag.name === 'link') {
    const rel = findAttribute(tag, 'rel')
    const href = findAttribute(tag, 'href')
    // A missing icon counts as no icon. Otherwise the browser would request an icon from the root of the host.
    const isIcon = href && rel && /(^|\s)icon(\s|$)/i.test(editor.value(rel))
    if (isIcon && !isDropped(change(editor.value(href), 'asset'))) head.hasIcon = true
  }
  rewriteAttributes(tag, rewriting)
  if (isRendered)
    for (const handler of tag.attributes.filter(({ name }) => name.startsWith('on'))) editor.remove(handler)
}

interface RawTextPlace {
  tag: Tag
  /** The page that contains the element. */
  raw: RawText
  base: URL
  place: PagePlace
  rewriting: { editor: AttributeEditor; change: AttributeRewriting['change'] }
}

/** Rewrites the text of a style or script element. */
function rewriteRawText(own: RawText, { tag, raw, base, place, rewriting }: RawTextPlace): string {
  const { page, path, map, findings } = place
  if (tag.name === 'style')
    return rewriteCss(own.text, (address, role) => rewriting.change(decodeRaw(address, own.charset), role))
  if (isExecutable(tag, raw))
    return page.rendered ? '' : rewriteScript(own, { url: base, path, hasMoved: false }, map, findings)
  if (isImportMap(tag, raw)) return rewriteImportMap(own, base, path, map)
  return isSpeculation(tag, rewriting.editor.value) ? '{}' : own.text
}

/** Adds the policy, the icon, the search and the bundle's scripts to the head of the page. */
function seal(raw: RawText, place: PagePlace, head: PageHead, splices: Splices): void {
  const { page, path, map, outside = nothingOutside, loader = null, search = null, app = null, depth = 0 } = place
  const { stamp = null, hasPacked = false, isApp = false } = place
  const at = head.start.find(raw.text)
  const isInert = page.rendered && app === null
  const markup = sealMarkup({
    charset: raw.charset,
    // A page in a frame leaves menus and the theme to the page around it.
    inert: isInert
      ? { nonce: sealNonce(path, raw.text), runtime: depth > 0 ? null : relativeReference(path, runtimePath) }
      : null,
    icon: head.hasIcon ? null : findIcon(page.url, path, map),
    sources: outside.sources,
    search: search && { script: relativeReference(path, searchScriptPath), place: search },
  })
  splices.replace(at, at, markup + (stamp === null ? '' : stampMarkup(stamp)) + (app ?? ''))
  if (hasPacked && !isApp && head.hasScripts && !page.rendered)
    splices.replace(at, at, packedMarkup(relativeReference(path, packedScriptPath)))
  if (loader !== null && head.hasScripts && !page.rendered)
    splices.replace(at, at, `<script src="${relativeReference(path, loader)}"></script>`)
}

/**
 * Returns the address of the icon that browsers request by default. If it is missing, returns an empty icon to prevent that
 * request.
 */
function findIcon(pageUrl: URL, path: string, map: BundleMap): string {
  const icon = map.findFile(new URL('/favicon.ico', pageUrl))
  return icon.kind === 'inside' ? relativeReference(path, icon.path) : 'data:,'
}

function isDropped(result: Change): boolean {
  return result !== undefined && 'drop' in result
}

/** Decides whether a tag has speculation rules. They load pages ahead, and no policy prevents this. */
function isSpeculation(tag: Tag, value: (attribute: Attribute) => string): boolean {
  const type = findAttribute(tag, 'type')
  return type !== undefined && value(type).trim().toLowerCase() === 'speculationrules'
}

/** The functions that rewrite the attributes of one page. */
interface AttributeRewriting {
  editor: AttributeEditor
  change(address: string, role: UrlRole): Change
  /** Rewrites the page in a frame's srcdoc; null when frames are nested too deeply. */
  rewriteInner(html: string): string | null
}

/** Replaces the addresses in the attributes of a tag. */
export function rewriteAttributes(tag: Tag, rewriting: AttributeRewriting): void {
  for (const { attribute, role, syntax } of urlAttributes(tag, rewriting.editor.value)) {
    if (syntax === 'url') rewriteUrl(tag, attribute, role, rewriting)
    else if (syntax === 'srcset') rewriteSrcset(attribute, role, rewriting)
    else if (syntax === 'css') rewriteStyle(attribute, rewriting)
    else if (syntax === 'page') rewriteFrame(attribute, rewriting)
    else rewriteRefresh(attribute, role, rewriting)
  }
}

function rewriteUrl(tag: Tag, attribute: Attribute, role: UrlRole, { editor, change }: AttributeRewriting): void {
  const result = change(editor.value(attribute), role)
  const as = findAttribute(tag, 'as')
  // A preload only saves time, and it causes an error on file://. The bundle contains the file itself.
  if (tag.name === 'link' && as && /^fetch$/i.test(editor.value(as))) {
    editor.disable(attribute, 'removed')
    return
  }
  if (result && 'to' in result) editor.write(attribute, result.to)
  if (result && 'drop' in result) {
    editor.disable(attribute, result.drop)
    if (result.drop === 'dead' && (tag.name === 'a' || tag.name === 'area')) editor.markDead(tag)
  }
  const loads = role === 'script' || role === 'stylesheet' || (role === 'asset' && tag.name !== 'meta')
  if (!loads) return
  // Rewriting may change the bytes, and file:// has no origins. Both attributes would therefore block the file.
  editor.remove(findAttribute(tag, 'integrity'))
  // Browsers always fetch fonts as cross-origin. A preload without the attribute would cause a second request.
  if (!as || !/^font$/i.test(editor.value(as))) editor.remove(findAttribute(tag, 'crossorigin'))
}

function rewriteSrcset(attribute: Attribute, role: UrlRole, { editor, change }: AttributeRewriting): void {
  const old = editor.value(attribute)
  const now = replaceSrcset(old, url => {
    const result = change(url, role)
    if (!result) return url
    return 'to' in result ? result.to : null
  })
  if (now === '') editor.disable(attribute, 'missing')
  else if (now !== old) editor.write(attribute, now)
}

function rewriteStyle(attribute: Attribute, { editor, change }: AttributeRewriting): void {
  const old = editor.value(attribute)
  const now = rewriteCss(old, change)
  if (now !== old) editor.write(attribute, now)
}

function rewriteFrame(attribute: Attribute, { editor, rewriteInner }: AttributeRewriting): void {
  const inner = rewriteInner(editor.value(attribute))
  if (inner === null) editor.disable(attribute, 'removed')
  else editor.write(attribute, inner)
}

/** Rewrites the content of `<meta http-equiv="refresh">`. */
function rewriteRefresh(attribute: Attribute, role: UrlRole, { editor, change }: AttributeRewriting): void {
  const old = editor.value(attribute)
  const target = refreshTarget(old)
  if (!target) return
  const result = change(target.url, role)
  // A redirect in a page may only lead to another page of the bundle.
  if (result && 'to' in result && !/^https?:/i.test(result.to)) {
    editor.write(attribute, old.slice(0, target.start) + result.to + old.slice(target.start + target.url.length))
  } else if (result || /^https?:/i.test(target.url)) editor.disable(attribute, 'removed')
}

/** Reads and changes the attributes of one page. */
interface AttributeEditor {
  /** Returns the decoded value. */
  value(attribute: Attribute): string
  write(attribute: Attribute, newValue: string): void
  /** Renames the attribute. The address stays readable, but browsers no longer load it. */
  disable(attribute: Attribute, why: 'dead' | 'missing' | 'removed'): void
  remove(attribute: Attribute | undefined): void
  /** Adds the class that shows readers that a link is dead. */
  markDead(tag: Tag): void
}

export function createAttributeEditor({ text, charset }: RawText, splices: Splices): AttributeEditor {
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)

  function write(attribute: Attribute, newValue: string) {
    const quoted = `"${encodeAttribute(newValue, charset)}"`
    const before = attribute.quote === '' ? 0 : 1
    splices.replace(attribute.start - before, attribute.outerEnd, quoted)
  }

  return {
    value,
    write,
    disable(attribute, why) {
      const disabled = `data-quire-${why}="${encodeAttribute(value(attribute), charset)}"`
      splices.replace(attribute.nameStart, attribute.outerEnd, disabled)
    },
    remove(attribute) {
      if (!attribute) return
      const before = /\s/.test(text.charAt(attribute.nameStart - 1)) ? 1 : 0
      splices.replace(attribute.nameStart - before, attribute.outerEnd, '')
    },
    markDead(tag) {
      const classes = findAttribute(tag, 'class')
      if (!classes) splices.replace(tag.nameEnd, tag.nameEnd, ' class="quire-dead"')
      else if (classes.quote === '') write(classes, `${value(classes)} quire-dead`)
      else splices.replace(classes.end, classes.end, ' quire-dead')
    },
  }
}

const mark = 'data-quire-packed'

/**
 * Returns markup that loads a script on file://, before the scripts of the site. On a host, it loads nothing.
 *
 * @param script relative address of the script.
 */
function packedMarkup(script: string): string {
  const written = `\\x3cscript src='${script}'>\\x3c/script>`
  return `<script ${mark}="">if(location.protocol==="file:")document.write("${written}")</script>`
}

/** Decides whether a tag begins that markup. */
export function isPackedMarkup(tag: Tag): boolean {
  return tag.name === 'script' && findAttribute(tag, mark) !== undefined
}

/**
 * Returns the policy that lets a page load only from its own bundle. The site's inline scripts and styles still work. On an
 * inert page, only the bundle's own scripts may run.
 *
 * @param sources hosts of products whose feature is on; none in most bundles.
 */
function sealPolicy({ inert, sources }: Pick<SealedHead, 'inert' | 'sources'>): string {
  const scripts = inert ? `; script-src 'nonce-${inert.nonce}'` : ''
  const more = sources.map(source => ` ${source}`).join('')
  return `default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'${more}${scripts}; form-action 'self'${more}; base-uri 'none'`
}

/**
 * Returns the hosts that the policy of a finished page allows besides its own bundle; null = the page has no policy. The
 * policy is the first one, because `sealMarkup` writes it before all other markup.
 */
export function readSources(text: string): string[] | null {
  const policy = /<meta http-equiv="Content-Security-Policy" content="default-src ([^";]*)/.exec(text)?.[1]
  if (policy === undefined) return null
  const hosts = policy
    .split(/\s+/)
    .flatMap(source => (source.includes('://') ? [URL.parse(source)?.host ?? source] : []))
  return [...new Set(hosts)]
}

/** Data for the markup that is added to the head of a page. */
interface SealedHead {
  charset: string
  /** How a page whose scripts are all blocked runs those of the bundle; null = the scripts of the page may run. */
  inert: InertHead | null
  /** Address of the icon for a page that names none; null for a page that names one. */
  icon: string | null
  /** Hosts of products whose feature is on; none in most bundles. */
  sources: readonly string[]
  search: SealedSearch | null
}

interface InertHead {
  /** Allows the scripts of the bundle, and the scripts that they load, on a page that allows no other scripts. */
  nonce: string
  /** Relative address of the script that opens menus and switches the theme; null = none. */
  runtime: string | null
}

/** The search that a page loads. */
interface SealedSearch {
  /** Relative address of its script. */
  script: string
  place: SearchPlace
}

/**
 * Returns the nonce of a page. The nonce is a hash of the whole page, so the page cannot contain it. A script that the scan
 * overlooked is therefore still blocked.
 */
function sealNonce(path: string, text: string): string {
  return createHash('sha256').update(`${path}\n`).update(text, 'latin1').digest('base64url').slice(0, 24)
}

/** Marks a sealed page. All other additions to the head follow this tag. */
export const sealEnd = '<meta http-equiv="x-dns-prefetch-control" content="off"/>'

/**
 * Returns the markup that is added to the head of a page. The encoding comes first, because browsers look for it only in the
 * first 1024 bytes and a bundle has no headers. Without the DNS setting, Chromium resolves the hosts of links before a
 * click. Without an icon, every browser requests one from the root of the host.
 */
function sealMarkup({ charset, inert, icon, sources, search }: SealedHead): string {
  return (
    `<meta charset="${charset}"/>` +
    `<meta http-equiv="Content-Security-Policy" content="${sealPolicy({ inert, sources })}"/>` +
    sealEnd +
    (search === null ? '' : searchMarkup(search, inert)) +
    (inert?.runtime ? `<script src="${inert.runtime}" nonce="${inert.nonce}" defer=""></script>` : '') +
    (icon === null ? '' : `<link rel="icon" href="${icon}"/>`)
  )
}

function searchMarkup({ script, place }: SealedSearch, inert: InertHead | null): string {
  const attributes =
    (inert ? ` nonce="${inert.nonce}"` : '') + (place === 'instead' ? ' data-quire-search="instead"' : '')
  return `<script src="${script}"${attributes} defer=""></script>`
}
