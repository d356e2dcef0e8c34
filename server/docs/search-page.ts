import { escapeHtml } from './escape-html.ts'
import { findSections, type SearchEntry } from './find-sections.ts'

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

/** The script of the search page, with the index inside: pages on file:// may load a script, and read nothing else. */
export function searchScript(entries: readonly SearchEntry[]): string {
  const texts = entries.map(({ page, heading, text }) => ({ page, heading, text }))
  return `(${runSearch})(${findSections},${JSON.stringify(texts)})\n`
}

/** Runs in the search page, sent there as text: it uses nothing from outside but its parameters. */
function runSearch(find: typeof findSections, texts: readonly Omit<SearchEntry, 'href'>[]): void {
  // The addresses come from the list in the page: an export rewrites links, not scripts.
  const links = document.querySelectorAll('.sections a')
  const entries = texts
    .map((text, at) => ({ ...text, href: links[at]?.getAttribute('href') ?? '' }))
    .filter(({ href }) => href !== '')
  const field = document.querySelector<HTMLInputElement>('#search-field')
  const status = document.querySelector('#search-status')
  const results = document.querySelector('#search-results')
  if (!field || !status || !results) return

  /** Appends text with each of the words in a mark element. */
  function appendMarked(parent: Element, text: string, words: readonly string[]): void {
    const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    for (const [at, part] of text.split(new RegExp(`(${escaped.join('|')})`, 'i')).entries()) {
      // The separators stand at the odd places.
      const node = at % 2 === 1 ? document.createElement('mark') : document.createTextNode('')
      node.textContent = part
      parent.append(node)
    }
  }

  function show(question: string): void {
    if (!status || !results) return
    results.replaceChildren()
    const words = question.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) {
      status.textContent = 'Type a word. All sections are listed below.'
      return
    }
    const found = find(entries, question)
    status.textContent =
      found.length === 0
        ? 'No section has all of these words.'
        : `${found.length} ${found.length === 1 ? 'section has' : 'sections have'} all of these words.`
    for (const { entry, excerpt } of found) {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = entry.href
      appendMarked(link, entry.page === entry.heading ? entry.page : `${entry.page}: ${entry.heading}`, words)
      const text = document.createElement('p')
      appendMarked(text, excerpt, words)
      item.append(link, text)
      results.append(item)
    }
  }

  field.value = new URLSearchParams(location.search).get('q') ?? ''
  show(field.value)
  field.addEventListener('input', () => show(field.value))
  field.form?.addEventListener('submit', event => {
    event.preventDefault()
    show(field.value)
    history.replaceState(null, '', `?${new URLSearchParams({ q: field.value })}`)
  })
}
