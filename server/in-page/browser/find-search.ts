import { listRoots } from './open-details.ts'
import type { SearchPart } from './search-part.ts'

const searchWords =
  /search|recherch|suche(?!r)|suchfeld|buscar|búsqueda|pesquis|ricerca|zoeken|szukaj|поиск|检索|搜索|搜尋|検索|검색/i
const openers = 'button, [role=button], summary, label[for], a, input[readonly]'
/** Longer texts are sentences that mention a search. */
const maxNameLength = 60

/** Returns a control of the page's search; null when the page has none. */
export default function findSearch(part: SearchPart): Element | null {
  const find = (selector: string, isWanted: (element: HTMLElement) => boolean) =>
    listRoots()
      .flatMap(root => [...root.querySelectorAll<HTMLElement>(selector)])
      .find(isWanted) ?? null
  if (part === 'form') return find('form[action] input', element => isField(element) && isShown(element))
  if (part === 'field') return find('input', element => isField(element) && isShown(element))
  if (part === 'opener') return find(openers, element => isOpener(element) && isShown(element))
  return find('input', isField) ?? find(openers, element => isOpener(element) && isShown(element))
}

function isField(element: HTMLElement): boolean {
  const input = element as HTMLInputElement
  if (!/^(?:search|text)$/.test(input.type) || input.disabled || input.readOnly) return false
  const isNamed = /^(?:q|query)$/.test(input.name) || searchWords.test(nameOf(input, [input.name, input.placeholder]))
  const form = input.form?.getAttribute('action') ?? ''
  return input.type === 'search' || isNamed || input.closest('[role=search]') !== null || searchWords.test(form)
}

function isOpener(element: HTMLElement): boolean {
  const text = (element.textContent ?? '').trim()
  if (!searchWords.test(nameOf(element, [text.length > maxNameLength ? '' : text]))) return false
  const { href = '', host = '' } = element as Partial<HTMLAnchorElement>
  return href === '' || host === location.host
}

function nameOf(element: Element, more: string[]): string {
  const names = ['aria-label', 'title', 'class', 'id', 'role']
  return [...names.map(name => element.getAttribute(name) ?? ''), ...more].join(' ')
}

function isShown(element: Element): boolean {
  if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return false
  const { width, height, right, bottom } = element.getBoundingClientRect()
  return width > 0 && height > 0 && right > 0 && bottom > 0
}
