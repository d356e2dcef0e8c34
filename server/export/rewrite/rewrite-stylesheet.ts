import { replaceCssUrls } from '../../web/html/css-urls.ts'
import type { UrlRole } from '../../web/html/page-links.ts'
import { decodeRaw, type RawText } from '../../web/html/text-encoding.ts'
import type { Resource } from '../model/resource.ts'
import { type BundleMap, type Change, type RewriteFindings, referTo } from './bundle-map.ts'

/** Replaces the addresses in a style sheet. An address that is missing from the bundle becomes an empty data: URL. */
export function rewriteCss(css: string, change: (address: string, role: UrlRole) => Change): string {
  return replaceCssUrls(css, found => {
    const result = change(found.url, found.kind === 'import' ? 'stylesheet' : 'asset')
    if (!result) return undefined
    return 'to' in result ? result.to : found.kind === 'import' ? 'data:text/css,' : 'data:,'
  })
}

/**
 * Rewrites a style sheet file for the bundle. Its addresses are relative to the file.
 *
 * @param place path of the style sheet in the bundle.
 */
export function rewriteStylesheet(
  raw: RawText,
  sheet: Pick<Resource, 'url'>,
  place: { path: string; map: BundleMap; findings: RewriteFindings },
): string {
  const { path, map, findings } = place
  return rewriteCss(raw.text, rawAddress => {
    const address = decodeRaw(rawAddress, raw.charset)
    if (/^(#|data:|blob:|about:)/i.test(address)) return undefined
    const url = URL.parse(address, sheet.url)
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { drop: 'missing' }
    const destination = map.findFile(url)
    if (destination.kind !== 'inside') {
      if (destination.kind === 'gone') findings.missingFile(url, destination.reason)
      return { drop: 'missing' }
    }
    const to = referTo(path, destination.path, address)
    return to === undefined ? undefined : { to }
  })
}
