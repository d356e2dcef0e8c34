import { createSearchIndex } from '../export/search/search-index.ts'
import { escapeHtml } from './escape-html.ts'
import { type Page, searchForm, searchPath } from './frame.ts'
import { relativePath } from './relative-path.ts'

/** A script of the search index, by its name in the folder `search-index`. */
export interface IndexScript {
  name: string
  content: string
}

/** Writes the search index of the pages in the parts that the dialog loads, like the index of a bundle. */
export function writeSearchIndex(pages: readonly Page[]): IndexScript[] {
  const index = createSearchIndex()
  const parts = pages.flatMap(({ path, title, sections }) =>
    index.add(path.slice(1), {
      name: title,
      title,
      language: 'en',
      sections: sections.map(({ id, level, heading, text }) => ({
        anchor: id,
        heading: level === 1 ? title : heading,
        text,
      })),
    }),
  )
  return [...parts, ...index.finish().files]
}

/** Renders the search page. It lists every section, so that readers can use the browser's search if scripts are off. */
export function searchPage(pages: readonly Page[], index: readonly IndexScript[]): string {
  const items = pages.flatMap(({ path, title, sections }) =>
    sections.map(({ id, level, heading }) => {
      const href = `${relativePath(searchPath, path)}${id === '' ? '' : `#${id}`}`
      const name = level === 1 ? title : `${title}: ${heading}`
      return `<li><a href="${escapeHtml(href)}">${escapeHtml(name)}</a></li>`
    }),
  )
  // An export copies the files that links lead to. Otherwise, it would copy only those that it saw the dialog load.
  const files = index.map(({ name }) => `<a href="search-index/${name}">${name}</a>`)
  return `<h1>Search</h1>
${searchForm('search', 'search-here')}
<h2 id="sections">All sections</h2>
<ul class="sections">
${items.join('\n')}
</ul>
<p hidden>${files.join(' ')}</p>`
}
