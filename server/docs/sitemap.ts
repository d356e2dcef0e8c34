import type { DocumentationFile } from './documentation.ts'
import { escapeHtml } from './escape-html.ts'

/** Lists the request paths of the pages, without style sheet and script. */
export function listPages(files: ReadonlyMap<string, DocumentationFile>): string[] {
  return [...files].filter(([, file]) => file.contentType.startsWith('text/html')).map(([path]) => path)
}

/** Builds the sitemap. `baseUrl` is the public URL of this server, without a trailing slash. */
export function buildSitemap(files: ReadonlyMap<string, DocumentationFile>, baseUrl: string): string {
  const urls = listPages(files).map(path => `  <url><loc>${escapeHtml(`${baseUrl}${path}`)}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
}
