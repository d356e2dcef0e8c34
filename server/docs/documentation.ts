import { Marked } from 'marked'
import type { ApiDocument } from './api-document.ts'
import { escapeHtml, operationPage, schemasPage } from './reference.ts'
import { styleSheet } from './style-sheet.ts'

/** Where the documentation is served. */
export const docsPath = '/docs'

export interface DocumentationFile {
  contentType: string
  body: string
}

interface Page {
  path: string
  title: string
  html: string
}

/** What the pages are made of: the shipped texts, and the document (parsed). */
export interface DocumentationSources {
  readme: string
  changelog: string
  document: ApiDocument
}

/**
 * The documentation of Quire as a static site: README, changelog and a page for each operation, by request path. Complete in
 * its HTML, without a script, so that it reads anywhere, and exports without a browser.
 */
export function buildDocumentation({
  readme,
  changelog,
  document,
}: DocumentationSources): Map<string, DocumentationFile> {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => typeof operation === 'object' && 'operationId' in operation)
      .map(([method, operation]) => ({ path, method, operation })),
  )
  const pages: Page[] = [
    { path: '/', title: 'Quire', html: renderMarkdown(readme) },
    ...operations.map(({ path, method, operation }) => ({
      path: `/operations/${operation.operationId}`,
      title: operation.operationId,
      html: operationPage(document, { path, method, operation }, renderMarkdown),
    })),
    { path: '/schemas', title: 'Schemas', html: schemasPage(document, renderMarkdown) },
    { path: '/changelog', title: 'Changelog', html: renderMarkdown(changelog) },
  ]
  const files = new Map<string, DocumentationFile>()
  for (const page of pages) {
    files.set(`${docsPath}${page.path}`, { contentType: 'text/html; charset=utf-8', body: frame(page, pages) })
  }
  files.set(`${docsPath}/style.css`, { contentType: 'text/css; charset=utf-8', body: styleSheet })
  return files
}

/** The request paths of the pages, without the style sheet. */
export function listPages(files: ReadonlyMap<string, DocumentationFile>): string[] {
  return [...files].filter(([, file]) => file.contentType.startsWith('text/html')).map(([path]) => path)
}

/** The site map of the pages, for the address under which this server is reached (no trailing slash). */
export function buildSitemap(files: ReadonlyMap<string, DocumentationFile>, baseUrl: string): string {
  const urls = listPages(files).map(path => `  <url><loc>${escapeHtml(`${baseUrl}${path}`)}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
}

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = text
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '')
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    // The README links to files of the repository; of these only the changelog is a page here.
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      // An address of this machine is an example; as a link it would lead out of the documentation, or nowhere.
      if (/^https?:\/\/(127\.0\.0\.1|localhost)\b/.test(href)) return inner
      if (/^(https?:|#)/.test(href)) return `<a href="${escapeHtml(href)}">${inner}</a>`
      return href === 'CHANGELOG.md' ? `<a href="${docsPath}/changelog">${inner}</a>` : inner
    },
  },
})

function renderMarkdown(text: string): string {
  return markdown.parse(text, { async: false })
}

function frame(page: Page, pages: readonly Page[]): string {
  const links = pages.map(({ path, title }) => {
    const current = path === page.path ? ' aria-current="page"' : ''
    return `<li><a href="${docsPath}${path}"${current}>${escapeHtml(title)}</a></li>`
  })
  const title = page.path === '/' ? 'Quire' : `${page.title} - Quire`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${docsPath}/style.css">
</head>
<body>
<nav aria-label="Documentation"><ul>
${links.join('\n')}
</ul></nav>
<main>
${page.html}
</main>
</body>
</html>
`
}
