import { searchDocs } from '../../generated/in-page.ts'
import { callScript } from '../base/call-script.ts'
import type { SearchEntry } from '../in-page/docs/find-sections.ts'
import { escapeHtml } from './escape-html.ts'

/** Renders the search form of the search page and of the page headers, which lead to the search page. */
export function searchForm(action: string, isSearchPage: boolean): string {
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
export function searchPage(entries: readonly SearchEntry[], pagePath: string): string {
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
export function searchScript(entries: readonly SearchEntry[]): string {
  const texts = entries.map(({ page, heading, text }) => ({ page, heading, text }))
  return `${callScript(searchDocs, texts)}\n`
}
