import type { DialogElements } from './dialog-elements.ts'
import type { MarkedText } from './marked-text.ts'
import type { SearchHit } from './search-query.ts'

export interface HitList {
  /** Replaces the hits and selects the first. */
  show(hits: readonly SearchHit[]): void
  /** Moves the selection down by a number of hits. The list wraps around. */
  move(distance: number): void
  selected(): HTMLAnchorElement | undefined
  /** Finds the hit that contains a node of the list. */
  find(node: Node): HTMLAnchorElement | undefined
}

/** @param root address of the bundle. */
export function createHitList({ list, input }: Pick<DialogElements, 'list' | 'input'>, root: string): HitList {
  let options: HTMLAnchorElement[] = []
  let active = -1

  function select(index: number, isByPointer = false) {
    options[active]?.setAttribute('aria-selected', 'false')
    active = options.length === 0 ? -1 : (index + options.length) % options.length
    const option = options[active]
    option?.setAttribute('aria-selected', 'true')
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    if (!isByPointer) option?.scrollIntoView({ block: 'nearest' })
  }

  const find = (node: Node) => options.find(option => option.contains(node))
  list.addEventListener('pointermove', ({ target }) => {
    const option = find(target as Node)
    if (option && option !== options[active]) select(options.indexOf(option), true)
  })

  return {
    find,
    show(hits) {
      options = hits.map((hit, index) => {
        const isBelow = hits[index - 1]?.path === hit.path
        const option = createOption(hit, root, isBelow)
        option.id = `hit-${index}`
        return option
      })
      list.replaceChildren(...options)
      list.scrollTop = 0
      input.setAttribute('aria-expanded', String(options.length > 0))
      active = -1
      select(0)
    },
    move: distance => select(active + distance),
    selected: () => options[active],
  }
}

/** @param isBelow whether the previous hit is on the same page. */
function createOption(hit: SearchHit, root: string, isBelow: boolean): HTMLAnchorElement {
  const option = document.createElement('a')
  option.tabIndex = -1
  option.setAttribute('role', 'option')
  option.setAttribute('aria-selected', 'false')
  const path = hit.path.split('/').map(encodeURIComponent).join('/')
  option.href = new URL(path, root).href + (hit.anchor ? `#${encodeURIComponent(hit.anchor)}` : '')
  if (isBelow) option.className = 'below'
  option.append(createText('head', hit.heading.length > 0 ? hit.heading : hit.page))
  if (hit.heading.length > 0 && !isBelow) option.append(createText('page', hit.page))
  if (hit.snippet.length > 0) option.append(createText('snippet', hit.snippet))
  return option
}

/** Creates an element of a class with the text. Marks become mark elements. */
export function createText(className: string, texts: MarkedText): HTMLElement {
  const element = document.createElement('span')
  element.className = className
  for (const { text, isMark } of texts) {
    const piece = isMark ? document.createElement('mark') : document.createTextNode(text)
    if (isMark) piece.textContent = text
    element.append(piece)
  }
  return element
}
