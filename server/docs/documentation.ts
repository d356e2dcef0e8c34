import { searchDocs } from '../../generated/in-page.ts'
import { callScript } from '../base/call-script.ts'
import type { SearchEntry } from '../in-page/docs/find-sections.ts'
import { type ApiDocument, listOperations } from './api-document.ts'
import { escapeHtml } from './escape-html.ts'
import { renderMarkdown } from './markdown.ts'
import { listSections, type PageSection } from './page-sections.ts'
import { docsPath, type PageGroup, pageGroups, writtenPages } from './pages.ts'
import { errorsPage, operationPage, schemasPage } from './reference.ts'
import { relativePath } from './relative-path.ts'
import { styleSheet } from './style-sheet.ts'

export { docsPath }

export interface DocumentationFile {
  contentType: string
  body: string
  /** Whether the page runs a script of the documentation. */
  hasScript: boolean
}

export interface DocumentationSources {
  /** Reads a written page, by its path from the top folder of the repository. */
  readText(file: (typeof writtenPages)[number]['file']): string
  document: ApiDocument
  /** The document of what Quire adds to the administration API. */
  extensions: ApiDocument
}

/**
 * Builds the documentation of Quire as a static site, by request path: the written pages, a page for each operation, the
 * schemas and a search. Only the search page has a script.
 */
export function buildDocumentation(sources: DocumentationSources): Map<string, DocumentationFile> {
  const pages = [...listWritten(sources), ...listReference(sources.document), ...listExtensions(sources)]
  const entries = pages.flatMap(toSearchEntries)
  const search = toPage({ path: searchPath, title: 'Search', group: 'Start' }, searchPage(entries, 'search'))
  const all = [...pages, search]
  const files = new Map<string, DocumentationFile>()
  for (const page of all) {
    const body = framePage(page, all)
    files.set(docsPath + page.path, { contentType: 'text/html; charset=utf-8', body, hasScript: page === search })
  }
  const addFile = (name: string, contentType: string, body: string) =>
    files.set(`${docsPath}/${name}`, { contentType: `${contentType}; charset=utf-8`, body, hasScript: false })
  addFile('style.css', 'text/css', styleSheet)
  addFile('search.js', 'text/javascript', searchScript(entries))
  return files
}

function listWritten({ readText }: DocumentationSources): Page[] {
  return writtenPages.map(page =>
    toPage(page, renderMarkdown(readText(page.file), { file: page.file, path: docsPath + page.path })),
  )
}

function listReference(document: ApiDocument): Page[] {
  const group = 'Reference'
  // Descriptions in the document have no links to files.
  const render = (path: string) => (text: string) => renderMarkdown(text, { file: 'spec/openapi.yaml', path })
  const operations = listOperations(document).map(placed => {
    const title = placed.operation.operationId
    const path = `/operations/${title}`
    return toPage({ path, title, group }, operationPage(document, placed, render(docsPath + path)))
  })
  const path = '/schemas'
  return [
    ...operations,
    toPage({ path, title: 'Schemas', group }, schemasPage('Schemas', document, render(docsPath + path))),
    // Problems of RFC 9457 name this page in their `type`.
    toPage({ path: '/errors', title: 'Errors', group }, errorsPage(document, render(`${docsPath}/errors`))),
  ]
}

function listExtensions({ document, extensions }: DocumentationSources): Page[] {
  const group = 'Extensions'
  const render = (path: string) => (text: string) =>
    renderMarkdown(text, { file: 'spec/extensions/openapi.yaml', path: docsPath + path })
  const operations = listOperations(extensions).map(placed => {
    const title = placed.operation.operationId
    const path = `/extensions/${title}`
    return toPage({ path, title, group }, operationPage(extensions, placed, render(path)))
  })
  const path = '/extensions/schemas'
  const title = 'Schemas of the extensions'
  const html = schemasPage(title, extensions, render(path), document.components.schemas)
  return [...operations, toPage({ path, title, group }, html)]
}

function toPage({ path, title, group }: Pick<Page, 'path' | 'title' | 'group'>, html: string): Page {
  return { path, title, group, html, sections: listSections(html) }
}

function toSearchEntries({ path, title, sections }: Page): SearchEntry[] {
  return sections.map(({ id, level, heading, text }) => ({
    page: title,
    heading: level === 1 ? title : heading,
    href: `${relativePath(docsPath + searchPath, docsPath + path)}${id === '' ? '' : `#${id}`}`,
    text,
  }))
}

/** A page of the documentation without its frame. */
interface Page {
  /** Below `docsPath`. */
  path: string
  title: string
  group: PageGroup
  html: string
  sections: readonly PageSection[]
}

/** Where the search page is, below `docsPath`. */
const searchPath = '/search'

/** Renders the whole document of a page: header with search, navigation, content. */
function framePage(page: Page, pages: readonly Page[]): string {
  const link = (path: string) => escapeHtml(relativePath(docsPath + page.path, docsPath + path))
  const isSearchPage = page.path === searchPath
  const navigation = navigationList(page, pages, link)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.path === '/' ? 'Quire documentation' : `${page.title} - Quire`)}</title>
<link rel="stylesheet" href="${link('/style.css')}">
${isSearchPage ? `<script src="${link('/search.js')}" defer></script>\n` : ''}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${link('/')}">Quire</a>
${isSearchPage ? '' : searchForm(link(searchPath), false)}
</header>
<details class="menu"><summary>Pages</summary><nav aria-label="Pages, small screen">
${navigation}
</nav></details>
<nav class="side" aria-label="Pages">
${navigation}
</nav>
<main id="content" tabindex="-1">
${page.html}
</main>
</body>
</html>
`
}

/** Renders the groups of pages, with the sections of the current page. */
function navigationList(page: Page, pages: readonly Page[], link: (path: string) => string): string {
  const groups = pageGroups.map(group => {
    const items = pages
      .filter(each => each.group === group)
      .map(({ path, title }) => {
        const isCurrent = path === page.path
        const anchor = `<a href="${link(path)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`
        return `<li>${anchor}${isCurrent ? sectionList(page) : ''}</li>`
      })
    return `<li><span class="group">${group}</span><ul>\n${items.join('\n')}\n</ul></li>`
  })
  return `<ul>\n${groups.join('\n')}\n</ul>`
}

function sectionList({ sections }: Page): string {
  const maxSections = 12
  const items = sections
    .filter(({ level, id }) => level === 2 && id !== '')
    .map(({ id, heading }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(heading)}</a></li>`)
  return items.length > 1 && items.length <= maxSections ? `<ul class="sub">${items.join('')}</ul>` : ''
}

/** Renders the search form of the search page and of the page headers, which lead to the search page. */
function searchForm(action: string, isSearchPage: boolean): string {
  const focus = isSearchPage ? ' autofocus' : ''
  return `<form role="search" class="search" action="${action}">
<label for="search-field" class="unseen">Search the documentation</label>
<input id="search-field" type="search" name="q" placeholder="Search" autocomplete="off"${focus}><button>Search</button>
</form>`
}

/**
 * Renders the search page. It lists every section, so that readers can use the browser's search if scripts are off.
 *
 * The search runs in the page and not on the server, because the documentation is also exported as a static site and read
 * from a folder.
 */
function searchPage(entries: readonly SearchEntry[], pagePath: string): string {
  const items = entries.map(({ page, heading, href }) => {
    const title = page === heading ? page : `${page}: ${heading}`
    return `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a></li>`
  })
  return `<h1>Search</h1>
${searchForm(pagePath, true)}
<p role="status" id="search-status">All sections are listed below.</p>
<ol id="search-results"></ol>
<h2 id="sections">All sections</h2>
<ul class="sections">
${items.join('\n')}
</ul>`
}

/** Writes the script of the search page. It contains the index, because pages on file:// can load scripts but no other files. */
function searchScript(entries: readonly SearchEntry[]): string {
  const texts = entries.map(({ page, heading, text }) => ({ page, heading, text }))
  return `${callScript(searchDocs, texts)}\n`
}
