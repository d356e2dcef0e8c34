import { runDocs, searchDocs, showStoredTheme } from '../../generated/in-page.ts'
import { callScript } from '../base/call-script.ts'
import { type ApiDocument, listOperations } from './api-document.ts'
import { readEditAddress } from './edit-address.ts'
import { framePage, type Page, type Site, searchPath } from './frame.ts'
import { homePage } from './home.ts'
import { renderMarkdown } from './markdown.ts'
import { missingPage } from './missing-page.ts'
import { listSections } from './page-sections.ts'
import { docsPath, findSourceFile, writtenPages } from './pages.ts'
import { errorsPage, operationPage, referencePage, schemasPage } from './reference.ts'
import { relativePath } from './relative-path.ts'
import { searchPage, writeSearchIndex } from './search-page.ts'
import { styleSheet } from './style-sheet.ts'
import type { OperationServer } from './try-form.ts'

export { docsPath }

export interface DocumentationFile {
  contentType: string
  body: string
}

export interface DocumentationSources {
  /** Reads a file that ships with Quire, by its path from the top folder of the repository. */
  readText(file: (typeof writtenPages)[number]['file'] | 'package.json'): string
  document: ApiDocument
  /** The document of what Quire adds to the administration API. */
  extensions: ApiDocument
  /** Whether the server that serves the pages has a dashboard. */
  hasDashboard?: boolean
}

export interface Documentation {
  /** By request path. */
  files: ReadonlyMap<string, DocumentationFile>
  /** Renders the page that says that there is nothing at a request path, in the documentation or elsewhere on the server. */
  writeMissingPage(path: string): string
}

/**
 * Builds the documentation of Quire as a static site: the written pages, a page for each operation, the schemas and a search. Its
 * scripts only add to what can be read without them.
 */
export function buildDocumentation(sources: DocumentationSources): Documentation {
  const { hasDashboard = false, readText } = sources
  const home = toPage({ path: '/', title: 'Overview', group: 'Start' }, homePage(hasDashboard))
  const pages = [home, ...listWritten(sources), ...listReference(sources), ...listExtensions(sources)]
  const index = writeSearchIndex(pages)
  const search = toPage({ path: searchPath, title: 'Search', group: 'Start' }, searchPage(pages, index))
  const editAddress = readEditAddress(readText('package.json'))
  const site: Site = { pages: [...pages, search], hasDashboard, editAddress }
  const files = new Map<string, DocumentationFile>()
  const addFile = (path: string, type: string, body: string) =>
    files.set(docsPath + path, { contentType: `text/${type}; charset=utf-8`, body })
  for (const page of site.pages) {
    addFile(page.path, 'html', framePage({ ...page, page, at: docsPath + page.path }, site))
  }
  addFile('/style.css', 'css', styleSheet)
  addFile('/theme.js', 'javascript', `${callScript(showStoredTheme)}\n`)
  addFile('/docs.js', 'javascript', `${callScript(runDocs)}\n`)
  addFile('/search.js', 'javascript', `${callScript(searchDocs)}\n`)
  for (const { name, content } of index) addFile(`/search-index/${name}`, 'javascript', content)
  return { files, writeMissingPage: path => missingPage(path, site) }
}

function listWritten({ readText }: DocumentationSources): Page[] {
  return writtenPages.map(page =>
    toPage(page, renderMarkdown(readText(page.file), { file: page.file, path: docsPath + page.path })),
  )
}

function listReference({ document, extensions, hasDashboard = false }: DocumentationSources): Page[] {
  const group = 'Reference'
  // Descriptions in the document have no links to files.
  const render = (path: string) => (text: string) => renderMarkdown(text, { file: 'spec/openapi.yaml', path })
  const operations = listOperations(document).map(placed => {
    const title = placed.operation.operationId
    const path = `/operations/${title}`
    return toOperationPage(
      { path, title, group },
      operationPage(document, placed, render(docsPath + path), serverOf(path, hasDashboard)),
    )
  })
  const groups = [
    { title: 'Administration API', folder: 'operations', document },
    { title: 'Extensions of Quire', folder: 'extensions', document: extensions },
  ]
  const path = '/schemas'
  return [
    toPage(
      { path: '/reference', title: 'API reference', group },
      referencePage(groups, render(`${docsPath}/reference`)),
    ),
    ...operations,
    toPage({ path, title: 'Schemas', group }, schemasPage('Schemas', document, render(docsPath + path))),
    // Problems of RFC 9457 name this page in their `type`.
    toPage({ path: '/errors', title: 'Errors', group }, errorsPage(document, render(`${docsPath}/errors`))),
  ]
}

function listExtensions({ document, extensions, hasDashboard = false }: DocumentationSources): Page[] {
  const group = 'Extensions'
  const render = (path: string) => (text: string) =>
    renderMarkdown(text, { file: 'spec/extensions/openapi.yaml', path: docsPath + path })
  const operations = listOperations(extensions).map(placed => {
    const title = placed.operation.operationId
    const path = `/extensions/${title}`
    return toOperationPage(
      { path, title, group },
      operationPage(extensions, placed, render(path), serverOf(path, hasDashboard)),
    )
  })
  const path = '/extensions/schemas'
  const title = 'Schemas of the extensions'
  const html = schemasPage(title, extensions, render(path), document.components.schemas)
  return [...operations, toPage({ path, title, group }, html)]
}

function serverOf(path: string, hasDashboard: boolean): OperationServer {
  return { root: relativePath(docsPath + path, '/'), hasDashboard }
}

function toOperationPage(page: Pick<Page, 'path' | 'title' | 'group'>, html: string): Page {
  return { ...toPage({ ...page, file: findSourceFile(page.path) }, html), isWide: true }
}

function toPage({ path, title, group, file }: Pick<Page, 'path' | 'title' | 'group' | 'file'>, html: string): Page {
  return { path, title, group, file, html, sections: listSections(html) }
}
