import { escapeHtml } from './escape-html.ts'
import type { PageSection } from './page-sections.ts'
import { docsPath, type PageGroup, pageGroups } from './pages.ts'
import { relativePath } from './relative-path.ts'
import { searchForm } from './search-page.ts'

/** A page of the documentation without its frame. */
export interface Page {
  /** Below `docsPath`. */
  path: string
  title: string
  group: PageGroup
  html: string
  sections: readonly PageSection[]
}

/** Where the search page is, below `docsPath`. */
export const searchPath = '/search'

/** Renders the whole document of a page: header with search, navigation, content. */
export function framePage(page: Page, pages: readonly Page[]): string {
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
