import { extname } from 'node:path'

// One list of our own, and not the package mime-types: that one names another first extension for 5 of these types, and gives
// text/plain and application/octet-stream one, so files in existing bundles would change their names.

/** The extensions that static servers map to these types. A file with another extension gets the first one. */
const extensions: Record<string, readonly string[]> = {
  'application/atom+xml': ['xml', 'atom'],
  'application/javascript': ['js', 'mjs', 'cjs'],
  'application/json': ['json', 'map'],
  'application/ld+json': ['jsonld', 'json'],
  'application/manifest+json': ['webmanifest', 'json'],
  'application/pdf': ['pdf'],
  'application/rss+xml': ['xml', 'rss'],
  'application/wasm': ['wasm'],
  'application/x-javascript': ['js', 'mjs'],
  'application/xml': ['xml', 'xsl'],
  'application/zip': ['zip'],
  'audio/mpeg': ['mp3'],
  'audio/ogg': ['ogg', 'oga'],
  'font/otf': ['otf'],
  'font/ttf': ['ttf'],
  'font/woff': ['woff'],
  'font/woff2': ['woff2'],
  'image/avif': ['avif'],
  'image/gif': ['gif'],
  'image/jpeg': ['jpg', 'jpeg', 'jfif'],
  'image/png': ['png'],
  'image/svg+xml': ['svg'],
  'image/vnd.microsoft.icon': ['ico'],
  'image/webp': ['webp'],
  'image/x-icon': ['ico'],
  'text/css': ['css'],
  'text/javascript': ['js', 'mjs', 'cjs'],
  'text/markdown': ['md', 'markdown'],
  'text/xml': ['xml', 'xsl', 'rss', 'atom'],
  'video/mp4': ['mp4', 'm4v'],
  'video/webm': ['webm'],
}

/** Types that a browser rejects when the extension does not match. Files of other types keep their extension. */
const strict = /^(text\/css|image\/svg\+xml|(text|application)\/(x-)?javascript|application\/wasm)$/

/**
 * Returns the extension (without dot) to add to a file name so that static servers, and browsers on file://, detect the
 * right type; null = none.
 */
export function missingExtension(fileName: string, type: string): string | null {
  const known = extensions[type]
  if (!known) return null
  const own = /\.([a-z0-9]{1,11})$/i.exec(fileName)?.[1]?.toLowerCase()
  if (own && known.includes(own)) return null
  // Static servers and browsers would take a picture with this name for a page.
  const isNamedPage = /^x?html?$/.test(own ?? '')
  if (own && !strict.test(type) && !isNamedPage) return null
  return known[0] ?? null
}

/** The types that static servers send for files of a bundle, by extension. */
const servedTypes: Record<string, string> = {
  '.avif': 'image/avif',
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.otf': 'font/otf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'application/xml',
}

/** Returns the type that a static server sends for a file of a bundle. */
export function servedType(path: string): string {
  return servedTypes[extname(path).toLowerCase()] ?? 'application/octet-stream'
}
