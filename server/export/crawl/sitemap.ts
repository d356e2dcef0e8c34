import { gunzipSync } from 'node:zlib'
import { decodeXML } from 'entities'

export interface Sitemap {
  /** Addresses of pages. */
  pages: string[]
  /** Addresses of further sitemaps, if this is an index. */
  sitemaps: string[]
}

/**
 * Reads a sitemap, a sitemap index (sitemaps.org) or a plain list of addresses. Skips unreadable parts.
 *
 * @param maxBytes max size of the text after decompression.
 */
export function readSitemap(bytes: Buffer, maxBytes: number): Sitemap {
  const text = decompress(bytes, maxBytes).toString('utf8')
  if (!/<(?:\w{1,40}:)?(?:urlset|sitemapindex)\b/i.test(text)) {
    const lines = text.split(/\r?\n/).map(line => line.trim())
    return {
      pages: lines.every(line => line === '' || /^https?:\/\//.test(line)) ? lines.filter(Boolean) : [],
      sitemaps: [],
    }
  }
  const found: Sitemap = { pages: [], sitemaps: [] }
  let list: string[] | null = null
  let listPrefix: string | undefined
  let hasAddress = false
  // Reads in one pass: a sitemap may be 64 MB of opening tags.
  for (const tag of text.matchAll(/<(\/?)([a-z]\w*:)?(url|sitemap|loc|link)(?=[\s/>])([^<>]*)>/gi)) {
    const [whole, slash, prefix, name = '', attributes = ''] = tag
    const element = name.toLowerCase()
    if (element === 'url' || element === 'sitemap') {
      list = slash ? null : element === 'url' ? found.pages : found.sitemaps
      listPrefix = prefix
      hasAddress = false
    } else if (!list || slash) continue
    else if (element === 'loc') {
      // An image:loc names an image.
      if (prefix !== listPrefix) continue
      const address = hasAddress ? '' : readLocation(text.slice(tag.index + whole.length, tag.index + longestLocation))
      if (address) list.push(decodeXML(address))
      hasAddress = true
    } else {
      const alternate = /\bhref\s*=\s*["']([^"']+)["']/i.exec(attributes)?.[1]
      if (alternate) list.push(decodeXML(alternate))
    }
  }
  return found
}

/** Max characters of an address (at most 2,048) and the markup around it. */
const longestLocation = 5000

/** Returns the text of a loc element, up to its end. */
function readLocation(text: string): string {
  const inside = text.trimStart()
  const isQuoted = inside.startsWith('<![CDATA[')
  const end = inside.indexOf(isQuoted ? ']]>' : '<')
  return end === -1 ? '' : inside.slice(isQuoted ? 9 : 0, end).trim()
}

function decompress(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch {
    return Buffer.alloc(0)
  }
}
