import { writeAsAscii } from '../../web/html/ascii-text.ts'
import { type Attribute, findAttribute, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { documentBase, maxFrameDepth } from '../../web/html/page-links.ts'
import { isExecutable, isImportMap } from '../../web/html/page-text.ts'
import { createSplices, type Splices } from '../../web/html/splice.ts'
import { decodeRaw, type RawText, rawOf } from '../../web/html/text-encoding.ts'
import { packedScriptPath } from '../model/packed-files.ts'
import type { Resource } from '../model/resource.ts'
import { runtimePath } from '../model/runtime-file.ts'
import { type SearchPlace, searchScriptPath } from '../model/search-files.ts'
import type { BundleMap } from './bundle-map.ts'
import { type Change, createAddressChanger, type Outside } from './change-address.ts'
import { type AttributeEditor, createAttributeEditor } from './edit-attributes.ts'
import type { RewriteFindings } from './findings.ts'
import { relativeReference } from './layout.ts'
import { packedMarkup } from './packed-markup.ts'
import { type AttributeRewriting, rewriteAttributes } from './rewrite-attributes.ts'
import { rewriteImportMap, rewriteScript } from './rewrite-script.ts'
import { rewriteCss } from './rewrite-stylesheet.ts'
import { sealMarkup, sealNonce, sealPosition } from './seal.ts'

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
  /** Markup that starts an app and replaces this page; null = none. */
  app?: string | null
  /** Whether the page is an app whose scripts handle links to the app's own pages. */
  isApp?: boolean
  /** Nesting depth of a page in a frame of another page. */
  depth?: number
}

const nothingOutside: Outside = { isOutside: () => false, sources: [] }

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
  const head: PageHead = { headEnd: null, htmlEnd: null, hasIcon: false, hasScripts: false }
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
  headEnd: number | null
  htmlEnd: number | null
  hasIcon: boolean
  hasScripts: boolean
}

function rewriteTag(tag: Tag, rewriting: AttributeRewriting, head: PageHead, isRendered: boolean): void {
  const { editor, change } = rewriting
  if (tag.name === 'head') head.headEnd ??= tag.end
  else if (tag.name === 'html') head.htmlEnd ??= tag.end
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
  const { hasPacked = false, isApp = false } = place
  const at = sealPosition(raw.text, head.headEnd, head.htmlEnd)
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
  splices.replace(at, at, markup + (app ?? ''))
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
