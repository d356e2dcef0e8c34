import { replaceCssUrls } from '../../web/html/css-urls.ts'
import { decodeRaw, type RawText } from '../../web/html/text-encoding.ts'
import type { UrlRole } from '../../web/html/url-attributes.ts'
import type { Resource } from '../model/resource.ts'
import { type BundleMap, referTo } from './bundle-map.ts'
import type { RewriteFindings } from './findings.ts'

/** A style sheet with its addresses replaced. What the bundle does not have becomes an empty data: address. */
export function rewriteCss(css: string, change: (address: string, role: UrlRole) => Change): string {
  return replaceCssUrls(css, found => {
    const result = change(found.url, found.kind === 'import' ? 'stylesheet' : 'asset')
    if (!result) return undefined
    return 'to' in result ? result.to : found.kind === 'import' ? 'data:text/css,' : 'data:,'
  })
}

/** A style sheet file as it goes into the bundle. Relative addresses in it are relative to its own place. */
export function rewriteStylesheet(
  raw: RawText,
  sheet: Pick<Resource, 'url'>,
  path: string,
  map: BundleMap,
  findings: RewriteFindings,
): string {
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

/** What an address becomes: undefined = stays as it is. */
export type Change = { to: string } | { drop: 'dead' | 'missing' | 'removed' } | undefined
