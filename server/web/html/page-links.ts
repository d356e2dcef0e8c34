import { cssUrls } from './css-urls.ts'
import { type Attribute, findAttribute, type HtmlHandler, scanHtml } from './html-scan.ts'
import { isExecutable, isImportMap } from './page-text.ts'
import { srcsetCandidates } from './srcset.ts'
import { decodeAttribute, decodeRaw, type RawText, rawOf } from './text-encoding.ts'
import { type UrlRole, urlAttributes } from './url-attributes.ts'

/** What a page leads to and needs, each address once per role. */
export interface PageLinks {
  /** Of their fragments only those are left that may name a page of an app (`#/guide`). */
  links: URL[]
  assets: { url: URL; role: UrlRole }[]
  /** Its inline scripts. */
  scripts: string[]
  importMaps: string[]
  /** What its relative addresses are relative to. */
  base: URL
}

/** Frames whose page stands in a page may hold such frames; deeper ones are an attack. */
export const maxFrameDepth = 3

/** Reads the links and assets of a page. Addresses that make no URL are left out. */
export function readPageLinks(raw: RawText, pageUrl: URL): PageLinks {
  const reader = createLinkReader(raw, pageUrl)
  scanHtml(raw.text, reader.handler)
  return reader.finish()
}

/** Gathers the links and assets of a page while it is scanned. */
export function createLinkReader(
  raw: RawText,
  pageUrl: URL,
  depth = 0,
): { raw: RawText; handler: HtmlHandler; finish(): PageLinks } {
  const { text, charset } = raw
  const base = documentBase(raw, pageUrl)
  const links = new Map<string, URL>()
  const assets = new Map<string, { url: URL; role: UrlRole }>()
  const scripts: string[] = []
  const importMaps: string[] = []
  // Navigation repeats on every page, and anchors within one: parse each spelling once.
  const seen = new Set<string>()

  function add(address: string, role: UrlRole) {
    const spelling = `${role} ${role === 'link' || role === 'form' ? withoutAnchor(address) : address}`
    if (seen.has(spelling)) return
    seen.add(spelling)
    // A part of the page itself, whatever the base element says: url(#gradient).
    if (role === 'asset' && address.trim().startsWith('#')) return
    const url = URL.parse(address.trim(), base)
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return
    if (role !== 'link' || !url.hash.startsWith('#/')) url.hash = ''
    if (role === 'link' || role === 'form') links.set(url.href, url)
    else if (role === 'frame') links.set(url.href, url)
    else if (role === 'asset' || role === 'script' || role === 'stylesheet') assets.set(url.href, { url, role })
  }

  /** The page of a frame that stands in this one. */
  function readInner(html: string) {
    if (depth >= maxFrameDepth) return
    const inner = createLinkReader(rawOf(html), base, depth + 1)
    scanHtml(inner.raw.text, inner.handler)
    const found = inner.finish()
    for (const link of found.links) links.set(link.href, link)
    for (const asset of found.assets) assets.set(asset.url.href, asset)
    scripts.push(...found.scripts)
  }

  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)
  const handler: HtmlHandler = {
    tag(tag) {
      if (tag.name === 'base') return
      for (const { attribute, role, syntax } of urlAttributes(tag, value)) {
        const isAnchor = text[attribute.start] === '#' && (text[attribute.start + 1] !== '/' || role !== 'link')
        if (isAnchor && syntax === 'url') continue
        if (syntax === 'url') {
          const address = value(attribute)
          if (address.trim() !== '') add(address, role)
        } else if (syntax === 'srcset')
          for (const candidate of srcsetCandidates(value(attribute))) add(candidate.url, role)
        else if (syntax === 'css') for (const found of cssUrls(value(attribute))) add(found.url, role)
        else if (syntax === 'page') readInner(value(attribute))
        else {
          const target = refreshTarget(value(attribute))
          if (target) add(target.url, role)
        }
      }
    },
    rawText(tag, start, end) {
      if (tag.name === 'script') {
        if (end > start && isExecutable(tag, raw)) scripts.push(decodeRaw(text.slice(start, end), charset))
        else if (isImportMap(tag, raw)) importMaps.push(decodeRaw(text.slice(start, end), charset))
        return
      }
      for (const found of cssUrls(decodeRaw(text.slice(start, end), charset))) {
        add(found.url, found.kind === 'import' ? 'stylesheet' : 'asset')
      }
    },
  }
  return {
    raw,
    handler,
    finish: () => ({ links: [...links.values()], assets: [...assets.values()], scripts, importMaps, base }),
  }
}

/** What relative addresses of a page are relative to: its first base element, else its own address. */
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

/** The address in the content of a meta refresh, and where it stands; null when it only reloads. */
export function refreshTarget(content: string): { url: string; start: number } | null {
  // Piece by piece: one expression for all of it takes quadratic time on a run of spaces.
  const start = /^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?/i.exec(content)?.[0].length ?? 0
  const rest = content.slice(start)
  const quote = /^["']/.exec(rest)?.[0]
  const inside = quote ? (rest.slice(1).split(quote, 1)[0] ?? '') : rest
  const url = inside.trim()
  return url ? { url, start: content.indexOf(url, start) } : null
}

/** A fragment that begins with a slash may be the address of a page in an app. */
function withoutAnchor(address: string): string {
  const hash = address.indexOf('#')
  return hash === -1 || address[hash + 1] === '/' ? address : address.slice(0, hash)
}
