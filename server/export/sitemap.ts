import { gunzipSync } from 'node:zlib'
import { decodeXML } from 'entities'

export interface Sitemap {
  /** Addresses of pages. */
  pages: string[]
  /** Addresses of further sitemaps, when this is an index. */
  sitemaps: string[]
}

/**
 * Reads a sitemap or a sitemap index (sitemaps.org), plain text lists too. What it cannot read it leaves out.
 *
 * @param maxBytes of the text, also when it comes compressed.
 */
export function readSitemap(bytes: Buffer, maxBytes: number): Sitemap {
  const text = decompress(bytes, maxBytes).toString('utf8')
  if (!/<(?:\w+:)?(?:urlset|sitemapindex)\b/i.test(text)) {
    const lines = text.split(/\r?\n/).map(line => line.trim())
    return {
      pages: lines.every(line => line === '' || /^https?:\/\//.test(line)) ? lines.filter(Boolean) : [],
      sitemaps: [],
    }
  }
  const locations = (element: string) => {
    const found: string[] = []
    const blocks = new RegExp(`<(?:\\w+:)?${element}\\b[^>]*>([\\s\\S]*?)</(?:\\w+:)?${element}\\s*>`, 'gi')
    for (const [, block = ''] of text.matchAll(blocks)) {
      const location = /<loc\b[^>]*>\s*(?:<!\[CDATA\[)?([\s\S]*?)(?:\]\]>)?\s*<\/loc\s*>/i.exec(block)?.[1]?.trim()
      if (location) found.push(decodeXML(location))
      for (const [, alternate = ''] of block.matchAll(/<xhtml:link\b[^>]*\bhref\s*=\s*["']([^"']+)["']/gi)) {
        found.push(decodeXML(alternate))
      }
    }
    return found
  }
  return { pages: locations('url'), sitemaps: locations('sitemap') }
}

function decompress(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch {
    return Buffer.alloc(0)
  }
}
