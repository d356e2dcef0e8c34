import type { SearchEntry } from '../in-page/docs/find-sections.ts'
import { type ApiDocument, listOperations } from './api-document.ts'
import { renderMarkdown } from './markdown.ts'
import { framePage, type Page, searchPath } from './page-frame.ts'
import { listSections } from './page-sections.ts'
import { docsPath, writtenPages } from './pages.ts'
import { operationPage, schemasPage } from './reference.ts'
import { relativePath } from './relative-path.ts'
import { searchPage, searchScript } from './search-page.ts'
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
}

/**
 * Builds the documentation of Quire as a static site, by request path: the written pages, a page for each operation, the
 * schemas and a search. Only the search page has a script.
 */
export function buildDocumentation(sources: DocumentationSources): Map<string, DocumentationFile> {
  const pages = [...listWritten(sources), ...listReference(sources.document)]
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
  return [...operations, toPage({ path, title: 'Schemas', group }, schemasPage(document, render(docsPath + path)))]
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
