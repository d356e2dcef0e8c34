import { escapeHtml } from './escape-html.ts'
import type { PageSection } from './page-sections.ts'
import { docsPath, type PageGroup, pageGroups } from './pages.ts'
import { favicon } from './palette.ts'
import { relativePath } from './relative-path.ts'
import { themeChoice } from './theme-choice.ts'

/** A page of the documentation without its frame. */
export interface Page {
  /** Below `docsPath`. */
  path: string
  title: string
  group: PageGroup
  html: string
  sections: readonly PageSection[]
  /** The file of the repository that has its text; undefined = several or none. */
  file?: string | undefined
  /** Whether it uses the whole width. */
  isWide?: boolean
}

/** What the frames of all pages have in common. */
export interface Site {
  pages: readonly Page[]
  /** Whether the server that serves the pages has a dashboard. */
  hasDashboard: boolean
  /** Where a file of the repository can be edited, such as `https://example.com/quire/edit/HEAD/`; undefined = unknown. */
  editAddress: string | undefined
}

/** Where the search page is, below `docsPath`. */
export const searchPath = '/search'

/** A page to frame, at an address that may be outside of the documentation. */
export interface FramedPage extends Pick<Page, 'title' | 'html' | 'isWide'> {
  /** The page of the navigation; undefined = a page that is missing. */
  page?: Page
  /** The request path. */
  at: string
}

/** Renders the whole document of a page: header with search, navigation, content. */
export function framePage({ page, at, title, html, isWide }: FramedPage, site: Site): string {
  const link = (path: string) => escapeHtml(relativePath(at, path))
  const toPage = (path: string) => link(docsPath + path)
  const dashboard = site.hasDashboard
    ? `<a href="${link('/dashboard/')}" data-dashboard data-quire-export="remove">Dashboard</a>\n`
    : ''
  const ways = `<div class="ways">
<a href="${toPage('/reference')}">API reference</a>
${dashboard}</div>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page?.path === '/' ? 'Quire documentation' : `${title} - Quire`)}</title>
<link rel="icon" href="${escapeHtml(favicon)}">
<link rel="stylesheet" href="${toPage('/style.css')}">
<script src="${toPage('/theme.js')}"></script>
<script src="${toPage('/docs.js')}" defer></script>
<script src="${toPage('/search.js')}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${toPage('/')}">Quire</a>
${ways}
${searchForm(toPage(searchPath))}
<button type="button" class="open-search" data-search hidden>Search <kbd>Ctrl K</kbd></button>
${themeChoice()}
</header>
<details class="menu"><summary>Pages</summary><div>
${ways}
${themeChoice()}
<nav aria-label="Pages, small screen">
${navigationList(page, site.pages, toPage, false)}
</nav></div></details>
<nav class="side" aria-label="Pages">
${navigationList(page, site.pages, toPage, true)}
</nav>
<main id="content" tabindex="-1"${isWide ? ' class="full"' : ''}>
${html}
${page ? pageEnd(page, site, toPage) : ''}
</main>
</body>
</html>
`
}

/** Renders the links to the page before, the page after and the source of the page. */
function pageEnd(page: Page, { pages, editAddress }: Site, toPage: (path: string) => string): string {
  const order = pageGroups.flatMap(group => pages.filter(each => each.group === group && each.path !== searchPath))
  const at = order.indexOf(page)
  const turn = (other: Page | undefined, rel: 'prev' | 'next', word: string) =>
    other ? `<a rel="${rel}" href="${toPage(other.path)}"><span>${word}</span> ${escapeHtml(other.title)}</a>` : ''
  const before = at > 0 ? turn(order[at - 1], 'prev', 'Previous') : ''
  const after = at >= 0 ? turn(order[at + 1], 'next', 'Next') : ''
  const edit =
    editAddress !== undefined && page.file !== undefined
      ? `<p class="edit"><a href="${escapeHtml(editAddress + page.file)}">Edit this page</a></p>`
      : ''
  return `${edit}${before || after ? `<nav class="turn" aria-label="Previous and next page">${before}${after}</nav>` : ''}`
}

/** Renders the groups of pages, with the sections of the current page. */
function navigationList(
  page: Page | undefined,
  pages: readonly Page[],
  toPage: (path: string) => string,
  isIndexed: boolean,
): string {
  const groups = pageGroups.map(group => {
    const items = pages
      .filter(each => each.group === group)
      .map(each => {
        const isCurrent = each === page
        // The search finds the addresses of pages by these names, see search-docs.ts.
        const name = isIndexed ? ` data-page="${each.path.slice(1)}"` : ''
        const anchor = `<a href="${toPage(each.path)}"${name}${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(each.title)}</a>`
        return `<li>${anchor}${isCurrent ? sectionList(each) : ''}</li>`
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

/** Renders the search form, which leads to the search page. With scripts, a dialog searches in its place. */
export function searchForm(action: string, id = 'search-field'): string {
  return `<form role="search" class="search" action="${action}">
<label for="${id}" class="unseen">Search the documentation</label>
<input id="${id}" type="search" name="q" placeholder="Search" autocomplete="off"><button>Search</button>
</form>`
}
