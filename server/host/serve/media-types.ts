import { extname } from 'node:path'

const text = (type: string) => `${type}; charset=utf-8`

/** By extension. Pages, scripts and style sheets name their encoding themselves, or take that of the page. */
const types: Readonly<Record<string, string>> = {
  '.atom': 'application/atom+xml',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.cjs': 'text/javascript',
  '.css': 'text/css',
  '.csv': text('text/csv'),
  '.eot': 'application/vnd.ms-fontobject',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jfif': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.jsonld': 'application/ld+json',
  '.m4a': 'audio/mp4',
  '.m4v': 'video/mp4',
  '.map': 'application/json',
  '.md': text('text/markdown'),
  '.mjs': 'text/javascript',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ogg': 'audio/ogg',
  '.ogv': 'video/ogg',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.rss': 'application/rss+xml',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': text('text/plain'),
  '.vtt': text('text/vtt'),
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'application/xml',
  '.xsl': 'application/xml',
  '.yaml': text('application/yaml'),
  '.yml': text('application/yaml'),
  '.zip': 'application/zip',
}

/** Returns the media type of a file by its name. */
export function findMediaType(path: string): string {
  return types[extname(path).toLowerCase()] ?? 'application/octet-stream'
}

/** Decides whether a browser may run what a file contains, so that it needs the policy of the host. */
export function canRun(mediaType: string): boolean {
  return !/^(image\/(?!svg)|font\/|audio\/|video\/|text\/css)/.test(mediaType)
}
