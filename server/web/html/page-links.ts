// A long file: which attributes hold addresses, and what the addresses of a page are for.
import { cssUrls } from './css-urls.ts'
import { type Attribute, findAttribute, type HtmlHandler, scanHtml, type Tag } from './html-scan.ts'
import { isExecutable, isImportMap } from './page-text.ts'
import { srcsetCandidates } from './srcset.ts'
import { decodeAttribute, decodeRaw, type RawText, rawOf } from './text-encoding.ts'

/** The links and files of a page. Each address occurs once per role. */
export interface PageLinks {
  /** Without fragments, except fragments that may identify a page of an app (`#/guide`). */
  links: URL[]
  /** Addresses of the links inside the page's navigation. */
  navigation: ReadonlySet<string>
  assets: { url: URL; role: UrlRole }[]
  /** The page's inline scripts. */
  scripts: string[]
  importMaps: string[]
  /** The base of the page's relative addresses. */
  base: URL
}

/** No server answers longer addresses. Those of data: URLs are not collected. */
const maxAddressLength = 64 * 1024

/** Max nesting of frames with an inline page (srcdoc). Deeper frames are an attack. */
export const maxFrameDepth = 3

/** Reads the links and assets of a page. Invalid addresses are skipped. */
export function readPageLinks(raw: RawText, pageUrl: URL): PageLinks {
  const reader = createLinkReader(raw, pageUrl)
  scanHtml(raw.text, reader.handler)
  return reader.finish()
}

/** Collects the links and assets of a page while it is scanned. */
export function createLinkReader(
  raw: RawText,
  pageUrl: URL,
  depth = 0,
): { raw: RawText; handler: HtmlHandler; finish(): PageLinks } {
  const { text, charset } = raw
  const base = documentBase(raw, pageUrl)
  const found = createFoundLinks(base)
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)
  const navigation = new NavigationTracker(value)

  function addAttribute({ attribute, role, syntax }: UrlAttribute) {
    const isAnchor = text[attribute.start] === '#' && (text[attribute.start + 1] !== '/' || role !== 'link')
    if (isAnchor && syntax === 'url') return
    const content = value(attribute)
    if (syntax === 'page') {
      if (depth < maxFrameDepth) found.merge(readInner(content))
    } else for (const address of addressesOf(content, syntax)) found.add(address, role, navigation.isInside)
  }

  /** Reads the inline page (srcdoc) of a frame. */
  function readInner(html: string): PageLinks {
    const inner = createLinkReader(rawOf(html), base, depth + 1)
    scanHtml(inner.raw.text, inner.handler)
    return inner.finish()
  }

  const handler: HtmlHandler = {
    tag(tag) {
      navigation.tag(tag)
      if (tag.name !== 'base') for (const attribute of urlAttributes(tag, value)) addAttribute(attribute)
    },
    closeTag: name => navigation.closeTag(name),
    rawText(tag, start, end) {
      const content = () => decodeRaw(text.slice(start, end), charset)
      if (tag.name === 'script') {
        if (end > start && isExecutable(tag, raw)) found.scripts.push(content())
        else if (isImportMap(tag, raw)) found.importMaps.push(content())
      } else for (const { url, kind } of cssUrls(content())) found.add(url, kind === 'import' ? 'stylesheet' : 'asset')
    },
  }
  return { raw, handler, finish: () => found.finish() }
}

/** Collects each address once per role. */
function createFoundLinks(base: URL) {
  const links = new Map<string, URL>()
  const navigation = new Set<string>()
  const assets = new Map<string, { url: URL; role: UrlRole }>()
  const scripts: string[] = []
  const importMaps: string[] = []
  // Navigation repeats on every page and anchors repeat within a page, so each distinct text is parsed once.
  const seen = new Set<string>()
  return {
    scripts,
    importMaps,
    add(address: string, role: UrlRole, isNavigation = false) {
      if (address.length > maxAddressLength) return
      const spelling = `${isNavigation ? 'navigation ' : ''}${role} ${role === 'link' || role === 'form' ? withoutAnchor(address) : address}`
      if (seen.has(spelling)) return
      seen.add(spelling)
      // A fragment such as url(#gradient) refers to the page itself, independent of the base element.
      if (role === 'asset' && address.trim().startsWith('#')) return
      const url = URL.parse(address.trim(), base)
      if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return
      if (role !== 'link' || !url.hash.startsWith('#/')) url.hash = ''
      if (role === 'link' && isNavigation) navigation.add(url.href)
      if (role === 'link' || role === 'form' || role === 'frame' || role === 'option') links.set(url.href, url)
      else if (role === 'asset' || role === 'script' || role === 'stylesheet') assets.set(url.href, { url, role })
    },
    merge(inner: PageLinks) {
      for (const link of inner.links) links.set(link.href, link)
      for (const asset of inner.assets) assets.set(asset.url.href, asset)
      // A call cannot take a million arguments.
      for (const script of inner.scripts) scripts.push(script)
    },
    finish: (): PageLinks => ({
      links: [...links.values()],
      navigation,
      assets: [...assets.values()],
      scripts,
      importMaps,
      base,
    }),
  }
}

/** Returns the addresses in the value of an attribute. */
function addressesOf(content: string, syntax: Exclude<UrlAttribute['syntax'], 'page'>): string[] {
  if (syntax === 'srcset') return srcsetCandidates(content).map(({ url }) => url)
  if (syntax === 'css') return cssUrls(content).map(({ url }) => url)
  if (syntax === 'url') return content.trim() === '' ? [] : [content]
  const target = refreshTarget(content)
  return target ? [target.url] : []
}

/** The page that was searched last. Several readers of a page ask for its base. */
let lastRaw: RawText | null = null
let mayHaveBase = false

/** Returns the base of the relative addresses of a page: its first base element, otherwise the page's address. */
export function documentBase(raw: RawText, pageUrl: URL): URL {
  if (raw !== lastRaw) {
    lastRaw = raw
    mayHaveBase = /<base\s/i.test(raw.text)
  }
  if (!mayHaveBase) return pageUrl
  let base: URL | null = null
  scanHtml(raw.text, {
    tag(tag) {
      const href = base === null && tag.name === 'base' ? findAttribute(tag, 'href') : undefined
      if (href) base = URL.parse(decodeAttribute(raw.text.slice(href.start, href.end), raw.charset).trim(), pageUrl)
    },
  })
  return base ?? pageUrl
}

/** Returns the address in the content of a meta refresh and its position, or null if the page only reloads. */
export function refreshTarget(content: string): { url: string; start: number } | null {
  // Parses in steps, because one regular expression takes quadratic time on many spaces.
  const start = /^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?/i.exec(content)?.[0].length ?? 0
  const rest = content.slice(start)
  const quote = /^["']/.exec(rest)?.[0]
  const inside = quote ? (rest.slice(1).split(quote, 1)[0] ?? '') : rest
  const url = inside.trim()
  return url ? { url, start: content.indexOf(url, start) } : null
}

/** Removes the fragment, unless it begins with a slash and may be the address of a page in an app. */
function withoutAnchor(address: string): string {
  const hash = address.indexOf('#')
  return hash === -1 || address[hash + 1] === '/' ? address : address.slice(0, hash)
}

/** Elements that list pages of a site, by the HTML standard, and the roles that say the same of other elements. */
const elements = new Set(['nav', 'header', 'aside', 'menu'])
const roles = new Set(['navigation', 'banner', 'complementary', 'menu', 'menubar', 'tree'])

/**
 * Follows whether a scan of a page is inside its navigation: a `nav`, `header`, `aside` or `menu` element, or an element
 * with the role of one. Broken HTML counts as navigation until the end tag of that element.
 */
class NavigationTracker {
  readonly #value: (attribute: Attribute) => string
  /** The name of the outermost navigation element, and how many elements of this name are open inside it and with it. */
  #name = ''
  #depth = 0

  /** @param value decodes the value of an attribute. */
  constructor(value: (attribute: Attribute) => string) {
    this.#value = value
  }

  get isInside(): boolean {
    return this.#depth > 0
  }

  tag(tag: Tag): void {
    if (this.#depth > 0) {
      if (tag.name === this.#name) this.#depth += 1
      return
    }
    if (!elements.has(tag.name) && !this.#hasRole(tag)) return
    this.#name = tag.name
    this.#depth = 1
  }

  closeTag(name: string): void {
    if (this.#depth > 0 && name === this.#name) this.#depth -= 1
  }

  #hasRole(tag: Tag): boolean {
    // Most tags have no role, and reading their attributes takes time.
    if (tag.isPlain || !/\srole\s*=/i.test(tag.source)) return false
    const role = findAttribute(tag, 'role')
    return role !== undefined && roles.has(this.#value(role).trim().toLowerCase())
  }
}

/**
 * The purpose of the URL in an attribute.
 * - link: a person may follow it; frame: the page shows another page; asset: the page needs the file
 * - script, stylesheet: assets that are parsed or may be removed
 * - form: the target of a form; option: an entry of a list that may lead to a page, such as a menu of versions
 * - hint: only prepares a connection or a later visit; reference: metadata that loads nothing
 * - refused: would cause a request that a bundle never needs (ping, appcache)
 */
export type UrlRole =
  | 'link'
  | 'frame'
  | 'asset'
  | 'script'
  | 'stylesheet'
  | 'form'
  | 'option'
  | 'hint'
  | 'reference'
  | 'refused'

interface UrlAttribute {
  attribute: Attribute
  role: UrlRole
  /** `page` = the value is the HTML of a page, relative to the current page. */
  syntax: 'url' | 'srcset' | 'css' | 'refresh' | 'page'
}

const imageMeta =
  /^(og|twitter):(image|video|audio)(:(secure_url|url|src))?$|^(msapplication-(tileimage|square\d+x\d+logo|wide310x150logo)|thumbnail)$/

/**
 * Returns the attributes of a tag that contain addresses of files or pages.
 *
 * @param value returns an attribute's decoded value.
 */
export function urlAttributes(tag: Tag, value: (attribute: Attribute) => string): readonly UrlAttribute[] {
  if (tag.isPlain) return none
  // Several handlers read a page in one scan, so the same tag is requested several times in a row.
  if (tag !== lastTag) {
    lastFound = possibleNames.test(tag.source) ? findUrlAttributes(tag, value) : none
    lastTag = tag
  }
  return lastFound
}

/** Matches every tag that has one of the attributes below. Most tags do not match and are skipped. */
const possibleNames = /^<option|href|src|style|action|data|poster|background|content|ping|manifest/i

const none: readonly UrlAttribute[] = []
let lastTag: Tag | null = null
let lastFound = none

function findUrlAttributes(tag: Tag, value: (attribute: Attribute) => string): UrlAttribute[] {
  const found: UrlAttribute[] = []
  for (const attribute of tag.attributes) {
    const use = useOf(tag, attribute, value)
    if (use) found.push({ attribute, ...use })
  }
  return found
}

/** Elements that load lazily: a script copies the address from a data attribute to the standard attribute. */
const lazyElements = new Set(['img', 'source', 'video', 'audio', 'embed'])

/** Decides whether a value is the address of a file, as opposed to a colour, a number or a word. */
function namesFile(value: string): boolean {
  const text = value.trim()
  return /[/.]\w/.test(text) && !/\s|^[[{]|^[\w-]*\(|^[\d.]+\w{0,3}$/.test(text)
}

/** Decides whether the value of an option is certainly an address, and not a word. */
function namesPage(value: string): boolean {
  const address = value.trim()
  if (/\s/.test(address)) return false
  if (/^(?:\.{0,2}\/|https?:\/\/)/i.test(address)) return true
  const [path = ''] = address.split(/[?#]/, 1)
  return !path.includes(':') && /[^.]\.x?html?$/i.test(path)
}

type Use = Omit<UrlAttribute, 'attribute'>

const asset: Use = { role: 'asset', syntax: 'url' }
const link: Use = { role: 'link', syntax: 'url' }

function useOf(tag: Tag, attribute: Attribute, value: (attribute: Attribute) => string): Use | null {
  const of = (name: string) => {
    const other = findAttribute(tag, name)
    return other ? value(other).toLowerCase() : ''
  }
  switch (attribute.name) {
    case 'href':
      if (tag.name === 'area') return link
      if (tag.name === 'link') return useOfLink(of('rel'), of('type'), of('as'))
      return useOfReference(tag.name)
    case 'xlink:href':
      return useOfReference(tag.name)
    case 'src':
      if (tag.name === 'script') return { role: 'script', syntax: 'url' }
      return { role: tag.name === 'iframe' || tag.name === 'frame' ? 'frame' : 'asset', syntax: 'url' }
    case 'data':
      return tag.name === 'object' ? { role: 'frame', syntax: 'url' } : null
    case 'srcdoc':
      return tag.name === 'iframe' ? { role: 'frame', syntax: 'page' } : null
    case 'srcset':
    case 'imagesrcset':
    case 'data-srcset':
    case 'data-lazy-srcset':
      return { role: 'asset', syntax: 'srcset' }
    case 'poster':
    case 'data-poster':
    case 'background':
      return asset
    case 'data-src':
    case 'data-lazy-src':
      return tag.name === 'iframe' ? { role: 'frame', syntax: 'url' } : asset
    case 'data-lazy':
    case 'data-original':
      // Other values are possible too, such as a flag.
      return lazyElements.has(tag.name) && namesFile(of(attribute.name)) ? asset : null
    case 'data-bg':
    case 'data-background':
    case 'data-background-image':
      if (/url\(/i.test(of(attribute.name))) return { role: 'asset', syntax: 'css' }
      return namesFile(of(attribute.name)) ? asset : null
    case 'style':
      return { role: 'asset', syntax: 'css' }
    case 'action':
    case 'formaction':
      return { role: 'form', syntax: 'url' }
    case 'content':
      if (tag.name !== 'meta') return null
      if (of('http-equiv') === 'refresh') return { role: 'link', syntax: 'refresh' }
      return imageMeta.test(of('property') || of('name')) || of('itemprop') === 'image' ? asset : null
    case 'value':
      return tag.name === 'option' && namesPage(value(attribute)) ? { role: 'option', syntax: 'url' } : null
    case 'ping':
      return { role: 'refused', syntax: 'url' }
    case 'manifest':
      return tag.name === 'html' ? { role: 'refused', syntax: 'url' } : null
    default:
      return null
  }
}

/** `href` and `xlink:href` of HTML and of drawings. */
function useOfReference(element: string): Use | null {
  if (element === 'a') return link
  if (element === 'script') return { role: 'script', syntax: 'url' }
  return isSvgLoader(element) ? asset : null
}

function isSvgLoader(name: string): boolean {
  return name === 'image' || name === 'use' || name === 'feimage' || name === 'mpath' || name.endsWith('gradient')
}

function useOfLink(rel: string, type: string, as: string): Use | null {
  const rels = rel.split(/\s+/)
  const has = (...names: string[]) => names.some(name => rels.includes(name))
  if (has('stylesheet') || (has('preload') && as === 'style')) return { role: 'stylesheet', syntax: 'url' }
  // A style sheet also loads the font. Without `crossorigin`, the font would be loaded twice, and not at all on file://.
  if (has('preload') && as === 'font') return { role: 'hint', syntax: 'url' }
  if (has('modulepreload') || (has('preload', 'prefetch') && as === 'script')) return { role: 'script', syntax: 'url' }
  if (
    has(
      'icon',
      'apple-touch-icon',
      'apple-touch-icon-precomposed',
      'apple-touch-startup-image',
      'mask-icon',
      'fluid-icon',
    )
  ) {
    return asset
  }
  if (has('manifest', 'preload', 'image_src')) return asset
  if (has('dns-prefetch', 'preconnect', 'prerender', 'prefetch', 'pingback', 'import'))
    return { role: 'hint', syntax: 'url' }
  if (has('canonical', 'shortlink', 'amphtml', 'me', 'edituri', 'wlwmanifest'))
    return { role: 'reference', syntax: 'url' }
  if (has('alternate') && /json|oembed/.test(type)) return { role: 'reference', syntax: 'url' }
  return link
}
