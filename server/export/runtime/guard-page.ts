import { guardPage as guardScript } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import { decodeComponent } from '../../base/path-names.ts'
import { type Attribute, findAttribute, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { isExecutable } from '../../web/html/page-text.ts'
import { createSplices } from '../../web/html/splice.ts'
import { decodeAttribute, encodeAttribute, type RawText } from '../../web/html/text-encoding.ts'
import { runtimePath } from '../model/runtime-file.ts'
import { encodeSegment, relativeReference } from '../rewrite/layout.ts'

import { isPackedMarkup, sealEnd } from '../rewrite/rewrite-page.ts'

/**
 * Returns a finished page whose own scripts start only at its own path at the root of a host, or at any path of a host.
 * Elsewhere the page is plain HTML with our runtime. Each script becomes inert, and a small script after it writes the
 * original again while the page is parsed. The browser itself therefore handles order, `defer`, `async`, modules,
 * `document.write` and `document.currentScript`, and at the root the document ends up as the site wrote it. Some apps fetch
 * a page and insert its markup into another page. They insert the guarded markup, and its scripts also start, except those
 * that already ran.
 *
 * @param ownPath path of the page on the site, as written in an address; null = its scripts run at any path of a host.
 */
export function guardPage(raw: RawText, path: string, ownPath: string | null): string {
  const call = '<script>__quire()</script>'
  return rewriteScripts(raw, guardMarkup(path, ownPath), (splices, tag, type, end) => {
    if (type) {
      const value = encodeAttribute(decodeAttribute(raw.text.slice(type.start, type.end), raw.charset), raw.charset)
      splices.replace(type.nameStart, type.outerEnd, `data-quire-type="${value}"`)
    }
    splices.replace(tag.nameEnd, tag.nameEnd, ' type="text/quire"')
    splices.replace(end, end, call)
  })
}

/** Returns a finished page without the site's scripts. */
export function freezePage(raw: RawText, path: string): string {
  const runtime = `<script src="${encodeAttribute(relativeReference(path, runtimePath), raw.charset)}" defer></script>`
  return rewriteScripts(raw, runtime, (splices, tag, _type, end) => splices.replace(tag.start, end, ''))
}

/** Path in the bundle of the script that makes the browser load pages whose scripts do not run here. */
export const loaderPath = '_quire/pages.js'

/** Returns a finished page that loads this script before all other scripts. */
export function addLoader({ text, charset }: RawText, path: string): string {
  const seal = text.indexOf(sealEnd)
  if (seal === -1) return text
  const at = seal + sealEnd.length
  const script = `<script src="${encodeAttribute(relativeReference(path, loaderPath), charset)}"></script>`
  return text.slice(0, at) + script + text.slice(at)
}

type Change = (splices: ReturnType<typeof createSplices>, tag: Tag, type: Attribute | undefined, end: number) => void

function rewriteScripts(raw: RawText, markup: string, change: Change): string {
  const { text, charset } = raw
  const splices = createSplices(text)
  const seal = text.indexOf(sealEnd)
  // The exporter seals every page, so this page is not from the exporter.
  if (seal === -1) return text
  const sealed = seal + sealEnd.length
  splices.replace(sealed, sealed, markup)
  // Scripts inside these elements do not run, except in the templates of shadow trees.
  const around: boolean[] = []
  let dormant = 0
  const isWrapper = (name: string) => name === 'template' || name === 'noscript'
  scanHtml(text, {
    tag(tag) {
      if (isWrapper(tag.name)) {
        const isDormant = findAttribute(tag, 'shadowrootmode') === undefined
        around.push(isDormant)
        if (isDormant) dormant += 1
      }
      if (tag.name !== 'link') return
      const rel = findAttribute(tag, 'rel')
      const as = findAttribute(tag, 'as')
      const value = (attribute: Attribute | undefined) =>
        attribute ? decodeAttribute(text.slice(attribute.start, attribute.end), charset).trim().toLowerCase() : ''
      const isPreload =
        value(rel) === 'modulepreload' || (/^(preload|prefetch)$/.test(value(rel)) && value(as) === 'script')
      // Preloads only save time, and file:// refuses them.
      if (rel && isPreload) splices.replace(rel.nameStart, rel.nameStart, 'data-quire-')
    },
    closeTag(name) {
      if (isWrapper(name) && around.pop()) dormant -= 1
    },
    rawText(tag, _start, end) {
      // Guarded scripts never run on file://.
      if (isPackedMarkup(tag)) return splices.replace(tag.start, text.indexOf('>', end) + 1, '')
      // The script right after the seal is the bundle's search.
      if (tag.name !== 'script' || tag.start === sealed || dormant > 0 || !isExecutable(tag, raw)) return
      const close = text.indexOf('>', end)
      if (close !== -1) change(splices, tag, findAttribute(tag, 'type'), close + 1)
    },
  })
  return splices.apply()
}

function guardMarkup(path: string, ownPath: string | null): string {
  const names = path.split('/').slice(0, -1)
  const folder = names.map(name => `/${encodeSegment(name)}`).join('')
  const runtime = relativeReference(path, runtimePath)
  const home = ownPath === null ? null : normalizeOwnPath(ownPath)
  return `<script>${callScript(guardScript, home, runtime, `${folder}/`)}</script>`
}

/** Returns a path on the site in the spelling that the guard script expects. */
export function normalizeOwnPath(ownPath: string): string {
  const segments = ownPath.split('/').map(segment => encodeSegment(decodeComponent(segment) ?? segment))
  return segments.join('/')
}
