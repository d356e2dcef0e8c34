import { createIndexLoader } from './index-loader.ts'
import { createSearchDialog } from './search-dialog.ts'
import { createSearch, type SearchHit } from './search-query.ts'
import { createTermReader } from './search-terms.ts'

/**
 * Runs in the pages of the documentation and of the dashboard. Shows the buttons with `data-search`, which open the dialog like
 * Ctrl or Cmd K, and hides the forms that lead to the search page; the forms that search lists of the dashboard stay. The index is beside the script. In the dashboard, the
 * dialog also finds its pages by their names.
 */
export default function searchDocs(): void {
  const script = document.currentScript
  if (!(script instanceof HTMLScriptElement)) return
  const root = new URL('.', script.src).href
  const search = createSearch(createTermReader(), createIndexLoader({ folder: `${root}search-index/`, nonce: '' }))
  const dialog = createSearchDialog({
    addressOf: path => addressOfPage(path, root),
    find: async question => [...findNames(question), ...(await search.find(question, 'en'))],
  })

  for (const button of document.querySelectorAll<HTMLElement>('[data-search]')) {
    button.hidden = false
    button.addEventListener('click', () => dialog.open())
  }
  const isDocs = document.querySelector('[data-page]') !== null
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.shiftKey || event.repeat) return
    const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
    // In the dashboard, the slash leads to the search of a list.
    const isSlash = isDocs && event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyping(event)
    if (!isCommand && !isSlash) return
    event.preventDefault()
    dialog.open()
  })
  for (const form of document.querySelectorAll<HTMLFormElement>('form.search')) {
    form.hidden = form.closest('header') !== null
    const read = () => String(new FormData(form).get('q') ?? '')
    form.addEventListener('submit', event => {
      event.preventDefault()
      dialog.open(read())
    })
  }
  const question = isDocs ? new URLSearchParams(location.search).get('q') : null
  if (question) dialog.open(question)
  // The dashboard loads this script when someone asks for the search.
  if (script.dataset.open !== undefined) dialog.open()
}

function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}

/** The navigation has the addresses of all pages. An export changes those, but not the ones in scripts. */
function addressOfPage(path: string, root: string): string {
  const link = document.querySelector<HTMLAnchorElement>(`[data-page="${CSS.escape(path)}"]`)
  return link?.href ?? new URL(path, root).href
}

/** Finds pages of the dashboard by a part of their names; all of them without a question. */
function findNames(question: string): SearchHit[] {
  const wanted = question.trim().toLowerCase()
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.side [data-go]')]
  return links
    .map(({ href, textContent }) => ({ path: href, name: textContent.trim() }))
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ path, name }) => {
      const start = name.toLowerCase().indexOf(wanted)
      const end = start + wanted.length
      const pieces = [
        { text: name.slice(0, start), isMark: false },
        { text: name.slice(start, end), isMark: true },
        { text: `${name.slice(end)} (dashboard)`, isMark: false },
      ]
      return { path, anchor: '', page: pieces.filter(({ text }) => text !== ''), heading: [], snippet: [] }
    })
}
