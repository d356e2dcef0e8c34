import { type Found, findSections, type SearchEntry, splitQuestion } from './find-sections.ts'

/** Runs in the search page of the documentation. Shows the sections that contain the words in the search field. */
export default function searchDocs(texts: readonly Omit<SearchEntry, 'href'>[]): void {
  // The addresses come from the list in the page, because exports rewrite links but not scripts.
  const links = document.querySelectorAll('.sections a')
  const entries = texts
    .map((text, at) => ({ ...text, href: links[at]?.getAttribute('href') ?? '' }))
    .filter(({ href }) => href !== '')
  const field = document.querySelector<HTMLInputElement>('#search-field')
  const status = document.querySelector('#search-status')
  const results = document.querySelector('#search-results')
  if (!field || !status || !results) return

  const show = () => {
    const words = splitQuestion(field.value)
    const found = findSections(entries, field.value)
    status.textContent = describeResult(words.length, found.length)
    results.replaceChildren(...found.map(each => createItem(each, words)))
  }
  field.value = new URLSearchParams(location.search).get('q') ?? ''
  show()
  field.addEventListener('input', show)
  field.form?.addEventListener('submit', event => {
    event.preventDefault()
    show()
    history.replaceState(null, '', `?${new URLSearchParams({ q: field.value })}`)
  })
}

function describeResult(words: number, sections: number): string {
  if (words === 0) return 'Type a word. All sections are listed below.'
  if (sections === 0) return 'No section has all of these words.'
  return `${sections} ${sections === 1 ? 'section has' : 'sections have'} all of these words.`
}

function createItem({ entry, excerpt }: Found, words: readonly string[]): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = entry.href
  appendMarked(link, entry.page === entry.heading ? entry.page : `${entry.page}: ${entry.heading}`, words)
  const text = document.createElement('p')
  appendMarked(text, excerpt, words)
  item.append(link, text)
  return item
}

/** Appends text. Each of the words is in a mark element. */
function appendMarked(parent: Element, text: string, words: readonly string[]): void {
  const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  for (const [at, part] of text.split(new RegExp(`(${escaped.join('|')})`, 'i')).entries()) {
    // The words are at the odd positions.
    const node = at % 2 === 1 ? document.createElement('mark') : document.createTextNode('')
    node.textContent = part
    parent.append(node)
  }
}
