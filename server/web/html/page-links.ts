import { cssUrls } from './css-urls.ts'
import { type Attribute, findAttribute, type HtmlHandler, scanHtml } from './html-scan.ts'
import { NavigationTracker } from './navigation.ts'
import { isExecutable, isImportMap } from './page-text.ts'
import { srcsetCandidates } from './srcset.ts'
import { decodeAttribute, decodeRaw, type RawText, rawOf } from './text-encoding.ts'
import { type UrlAttribute, type UrlRole, urlAttributes } from './url-attributes.ts'

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
      const spelling = `${isNavigation ? 'navigation ' : ''}${role} ${role === 'link' || role === 'form' ? withoutAnchor(address) : address}`
      if (seen.has(spelling)) return
      seen.add(spelling)
      // A fragment such as url(#gradient) refers to the page itself, independent of the base element.
      if (role === 'asset' && address.trim().startsWith('#')) return
      const url = URL.parse(address.trim(), base)
      if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return
      if (role !== 'link' || !url.hash.startsWith('#/')) url.hash = ''
      if (role === 'link' && isNavigation) navigation.add(url.href)
      if (role === 'link' || role === 'form' || role === 'frame') links.set(url.href, url)
      else if (role === 'asset' || role === 'script' || role === 'stylesheet') assets.set(url.href, { url, role })
    },
    merge(inner: PageLinks) {
      for (const link of inner.links) links.set(link.href, link)
      for (const asset of inner.assets) assets.set(asset.url.href, asset)
      scripts.push(...inner.scripts)
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

/** Returns the base of the relative addresses of a page: its first base element, otherwise the page's address. */
export function documentBase(raw: RawText, pageUrl: URL): URL {
  if (!/<base\s/i.test(raw.text)) return pageUrl
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
