import { searchDocs } from '../../generated/in-page.ts'
import { callScript } from '../base/call-script.ts'
import type { SearchEntry } from '../in-page/docs/find-sections.ts'
import { escapeHtml } from './escape-html.ts'

/** The field of the search page; the header of every other page has one like it that leads here. */
export function searchForm(action: string, isSearchPage: boolean): string {
  const focus = isSearchPage ? ' autofocus' : ''
  return `<form role="search" class="search" action="${action}">
<label for="search-field" class="unseen">Search the documentation</label>
<input id="search-field" type="search" name="q" placeholder="Search" autocomplete="off"${focus}><button>Search</button>
</form>`
}

/**
 * The body of the search page. Without its script it still lists every section, which a reader can search with the browser.
 *
 * The search runs in the page and not in the server: the documentation is also exported as a static site, and read from a
 * folder or a memory stick, where no server answers.
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

/** The script of the search page, with the index inside: pages on file:// can load a script, and read no other file. */
export function searchScript(entries: readonly SearchEntry[]): string {
  const texts = entries.map(({ page, heading, text }) => ({ page, heading, text }))
  return `${callScript(searchDocs, texts)}\n`
}
