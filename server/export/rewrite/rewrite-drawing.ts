import { scanHtml } from '../../web/html/html-scan.ts'
import { createSplices } from '../../web/html/splice.ts'
import { decodeRaw, type RawText } from '../../web/html/text-encoding.ts'
import { type BundleMap, createAddressChanger, type RewriteFindings } from './bundle-map.ts'
import { createAttributeEditor, nothingOutside, rewriteAttributes } from './rewrite-page.ts'
import { rewriteCss } from './rewrite-stylesheet.ts'

/**
 * Rewrites the links, pictures and style sheets of an SVG file for the bundle. All other bytes stay the same.
 *
 * @param place address of the file, and its path in the bundle.
 */
export function rewriteDrawing(
  raw: RawText,
  { url, path, map, findings }: { url: URL; path: string; map: BundleMap; findings: RewriteFindings },
): string {
  const splices = createSplices(raw.text)
  const editor = createAttributeEditor(raw, splices)
  const context = { base: url, hasBase: false, isRendered: false, path, map, findings, isApp: false }
  const change = createAddressChanger({ ...context, outside: nothingOutside })
  scanHtml(raw.text, {
    tag: tag => rewriteAttributes(tag, { editor, change, rewriteInner: () => null }),
    rawText(tag, start, end) {
      if (tag.name !== 'style') return
      const css = raw.text.slice(start, end)
      const changed = rewriteCss(css, (address, role) => change(decodeRaw(address, raw.charset), role))
      if (changed !== css) splices.replace(start, end, changed)
    },
  })
  return splices.apply()
}
