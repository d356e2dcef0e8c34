import { cssUrls } from '../../web/html/css-urls.ts'
import { type Attribute, scanHtml } from '../../web/html/html-scan.ts'
import { maxFrameDepth, refreshTarget, urlAttributes } from '../../web/html/page-links.ts'
import { srcsetCandidates } from '../../web/html/srcset.ts'
import { decodeAttribute, decodeRaw, type RawText, rawOf } from '../../web/html/text-encoding.ts'

/**
 * Finds the addresses of a finished page that do not resolve inside the bundle. Reads the written text, independently of the
 * rewriting code. Only links and forms may be external.
 *
 * @param paths all paths in the bundle.
 * @param isOutside whether a page may load an address from outside the bundle; true for products whose feature is on.
 * @param depth nesting of frames around the page.
 */
export function findUnresolvedInPage(
  raw: RawText,
  path: string,
  paths: ReadonlySet<string>,
  isOutside: (url: URL) => boolean = () => false,
  depth = 0,
): string[] {
  const { text, charset } = raw
  const check = createCheck(path, paths, isOutside)
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)
  const unresolvedInFrame = (html: string) =>
    depth < maxFrameDepth ? findUnresolvedInPage(rawOf(html), path, paths, isOutside, depth + 1) : []
  scanHtml(text, {
    tag(tag) {
      for (const { attribute, role, syntax } of urlAttributes(tag, value)) {
        // Browsers do not load such an address, for example a canonical address, so it stays unchanged.
        if (role === 'reference' || role === 'option') continue
        const mayLeave = role === 'link' || role === 'form'
        if (syntax === 'url') check.address(value(attribute), mayLeave)
        else if (syntax === 'srcset')
          for (const { url } of srcsetCandidates(value(attribute))) check.address(url, false)
        else if (syntax === 'css') for (const { url } of cssUrls(value(attribute))) check.address(url, false)
        else if (syntax === 'page')
          for (const address of unresolvedInFrame(value(attribute))) check.address(address, false)
        else check.address(refreshTarget(value(attribute))?.url ?? '', false)
      }
    },
    rawText(tag, start, end) {
      if (tag.name !== 'style') return
      for (const { url } of cssUrls(text.slice(start, end))) check.address(decodeRaw(url, charset), false)
    },
  })
  return check.unresolved()
}

/** Finds the addresses of a finished style sheet that do not resolve inside the bundle. */
export function findUnresolvedInStylesheet(raw: RawText, path: string, paths: ReadonlySet<string>): string[] {
  const check = createCheck(path, paths)
  for (const { url } of cssUrls(raw.text)) check.address(decodeRaw(url, raw.charset), false)
  return check.unresolved()
}

/** Caches the relative addresses that resolve, by bundle. */
const knownOf = new WeakMap<ReadonlySet<string>, Set<string>>()
const maxKnown = 100_000

function knownIn(paths: ReadonlySet<string>): Set<string> {
  const known = knownOf.get(paths) ?? new Set()
  knownOf.set(paths, known)
  return known
}

function createCheck(path: string, paths: ReadonlySet<string>, isOutside: (url: URL) => boolean = () => false) {
  // An address outside this placeholder folder is outside the bundle.
  const root = 'http://bundle.invalid/root/'
  const base = new URL(path.split('/').map(encodeURIComponent).join('/'), root)
  const seen = new Set<string>()
  const unresolved = new Set<string>()

  const known = knownIn(paths)
  const folder = path.slice(0, path.lastIndexOf('/') + 1)

  /**
   * Caches addresses by folder: an address that resolves for one page of a folder resolves for all, and they share most
   * links.
   */
  function isKnown(address: string): boolean {
    if (!/^[\w./~%+-]+$/.test(address)) return false
    const spelling = `${folder} ${address}`
    if (known.has(spelling)) return true
    if (known.size < maxKnown && resolves(address, false)) {
      known.add(spelling)
      return true
    }
    return false
  }

  function resolves(address: string, mayLeave: boolean): boolean {
    if (/^(data|blob|about|mailto|tel|sms|javascript):/i.test(address)) return true
    const url = URL.parse(address, base)
    if (!url) return mayLeave
    if (url.host !== base.host) return mayLeave || isOutside(url)
    if (!url.href.startsWith(root)) return false
    try {
      return paths.has(decodeURIComponent(url.pathname.slice('/root/'.length)))
    } catch {
      return false
    }
  }

  return {
    address(written: string, mayLeave: boolean) {
      const address = written.trim()
      if (address === '' || address.startsWith('#')) return
      const hash = address.indexOf('#')
      const bare = hash === -1 ? address : address.slice(0, hash)
      const spelling = `${mayLeave} ${bare}`
      if (seen.has(spelling)) return
      seen.add(spelling)
      if (!isKnown(bare) && !resolves(bare, mayLeave)) unresolved.add(address)
    },
    unresolved: () => [...unresolved].sort(),
  }
}
