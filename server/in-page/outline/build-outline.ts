import { idMark, itemsMark, type OutlineLevel, type OutlineModel, textMark } from './outline-model.ts'

/** Max items of an outline that is built. */
const maxItems = 500

/** Puts an outline into the page. Returns false if the page has no place for it, no headings, or an outline already. */
export function placeOutline(model: OutlineModel): boolean {
  const anchors = document.querySelectorAll(model.anchor)
  const [anchor] = anchors
  const headings = listHeadings(document, model)
  if (!anchor || anchors.length > 1 || headings.length === 0) return false
  const ids = new Set(headings.map(({ id }) => id))
  // The text of the page may link to its headings, too.
  const around = (model.position === 'after' && anchor.parentElement) || anchor
  const links = around.querySelectorAll<HTMLAnchorElement>('a[href]')
  if (Array.from(links).some(link => isOutlineLink(link) && ids.has(targetOf(link)))) return false
  const [nodes, holder] = openShell(model)
  fill(holder, model, headings)
  if (model.position === 'after') anchor.after(...nodes)
  else if (model.position === 'first') anchor.prepend(...nodes)
  else anchor.append(...nodes)
  addClasses(anchor, model)
  return true
}

/** Returns the nodes to add to the page, and the element or fragment that takes the items. */
function openShell({ shell }: OutlineModel): [Node[], ParentNode & Node] {
  const holder = document.createDocumentFragment()
  if (shell === '') return [[holder], holder]
  const element = toElement(shell)
  const inner = element.matches(`.${itemsMark}`) ? element : element.querySelector(`.${itemsMark}`)
  inner?.classList.remove(itemsMark)
  return [[element], inner ?? element]
}

function addClasses(anchor: Element, { classes }: OutlineModel): void {
  for (const [level, names] of classes) {
    let element: Element | null = anchor
    for (let up = 0; up < level; up += 1) element = element?.parentElement ?? null
    element?.classList.add(...names)
  }
}

/** Adds an item for each heading. Headings of inner levels go into the item before them. */
function fill(holder: ParentNode & Node, { levels }: OutlineModel, headings: readonly HTMLElement[]): void {
  const open: (Node | null)[] = [holder]
  const items: Element[] = []
  const listed = headings.slice(0, maxItems)
  const depths = listDepths(levels, listed)
  for (const [at, heading] of listed.entries()) {
    const depth = depths[at] ?? 0
    const level = levels[depth]
    if (!level) continue
    const item = toElement(level.item, textOf(heading), heading.id)
    const above = items[depth - 1]
    if (depth > 0 && above && !open[depth]) open[depth] = above.appendChild(toElement(level.list))
    open[depth]?.appendChild(item)
    // Without a list, only a space separates the links.
    if (item.localName === 'a') item.after(' ')
    items[depth] = item
    items.length = depth + 1
    open.length = depth + 1
  }
}

/** Lists the depth of each heading in the outline: the number of headings around it, which are of outer levels. */
export function listDepths(levels: readonly Pick<OutlineLevel, 'tags'>[], headings: readonly Element[]): number[] {
  const around: number[] = []
  return headings.map(({ localName }) => {
    const level = levels.findIndex(({ tags }) => tags.includes(localName))
    while (around.length > 0 && (around.at(-1) ?? 0) >= level) around.pop()
    return around.push(level) - 1
  })
}

/** Makes the element of a model, and puts text and id into it as text, never as markup. */
export function toElement(markup: string, text = '', id = ''): Element {
  const template = document.createElement('template')
  template.innerHTML = markup
  const element = template.content.firstElementChild ?? document.createElement('span')
  const put = (value: string) => value.replaceAll(textMark, () => text).replaceAll(idMark, () => id)
  for (const inner of [element, ...element.querySelectorAll('*')]) {
    for (const { name, value } of [...inner.attributes]) if (put(value) !== value) inner.setAttribute(name, put(value))
    for (const node of inner.childNodes) if (node instanceof Text) node.data = put(node.data)
  }
  return element
}

/** Lists the headings that an outline names. */
export function listHeadings(root: Document, { levels }: Pick<OutlineModel, 'levels'>): HTMLElement[] {
  const scope = root.querySelector('main, article, [role=main]') ?? root.body
  const tags = levels.flatMap(level => level.tags)
  return Array.from(scope.querySelectorAll<HTMLElement>(tags.join(', '))).filter(
    heading => heading.id !== '' && textOf(heading) !== '',
  )
}

/** Returns the text of a heading without the mark of its own link, such as `#`. */
export function textOf(heading: Element): string {
  return (heading.textContent ?? '')
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/^\s*[#¶§]+/, '')
    .replace(/(?<![#¶§])[#¶§]+\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Decides whether a link leads to a place on the same page, and is no part of a heading. */
export function isOutlineLink(link: HTMLAnchorElement | HTMLAreaElement): boolean {
  const isHere = link.href.split('#', 1)[0] === document.URL.split('#', 1)[0]
  return isHere && link.hash.length > 1 && !link.closest('h1, h2, h3, h4, h5, h6')
}

/** Returns the id that a link leads to. */
export function targetOf(link: HTMLAnchorElement | HTMLAreaElement): string {
  try {
    return decodeURIComponent(link.hash.slice(1))
  } catch {
    return link.hash.slice(1)
  }
}
