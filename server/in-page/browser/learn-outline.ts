import { isOutlineLink, listDepths, listHeadings, targetOf, textOf } from '../outline/build-outline.ts'
import { idMark, itemsMark, type OutlineLevel, type OutlineModel, textMark } from '../outline/outline-model.ts'

/** Max characters of the markup of a model. */
const maxMarkup = 10_000
/** How many elements around the outline may gain classes. */
const maxAround = 6

/**
 * Finds a list of the headings of this page that its scripts made, and describes it as a model. Returns null if the served
 * page has such a list, or if the model does not give the same list for this page.
 *
 * @param served the page as the server sent it.
 */
export default function learnOutline(served: string): OutlineModel | null {
  const isNamed = (link: Element) =>
    link instanceof HTMLAnchorElement &&
    isOutlineLink(link) &&
    textOf(link) !== '' &&
    textOf(document.getElementById(targetOf(link)) ?? document.createElement('i')) === textOf(link)
  const named = Array.from(document.links).filter(link => isNamed(link) && link.checkVisibility())
  // The served page is parsed only for these, because it may be long (a list of 20,000 links: 0.2 s).
  if (named.length === 0) return null
  const before = new DOMParser().parseFromString(served, 'text/html')
  const known = new Set(Array.from(before.querySelectorAll('a[href*="#"]'), describe))
  const isFresh = (link: Element) => isNamed(link) && !known.has(describe(link))
  const first = named.find(isFresh)
  if (!first) return null
  const root = findRoot(first, isFresh)
  const list = (first.closest('li') ?? first).parentElement
  const levels = readLevels(root)
  const place = list && findPlace(root, list, before)
  const shell = place?.position === 'inside' ? '' : withoutItems(root, list)
  if (!place || !levels || shell === null) return null
  const model = { ...place, shell, levels }
  return JSON.stringify(model).length <= maxMarkup && givesSame(root, model) ? model : null
}

/** Describes where a link leads and where it is, because the text of a page may link to the same headings. */
function describe(link: Element): string {
  const href = link.getAttribute('href') ?? ''
  const target = decodeTarget(href.slice(href.indexOf('#')))
  return [target, link.className, link.closest('[class]:not(a)')?.className].join(' ')
}

/** A person may write `#100%`, which is no encoding. */
function decodeTarget(target: string): string {
  try {
    return decodeURI(target)
  } catch {
    return target
  }
}

/** Returns the largest element around a link whose whole text is that of outline links. */
function findRoot(first: Element, isFresh: (link: Element) => boolean): Element {
  let root = first
  const words = (element: Element) => (element.textContent ?? '').replace(/\s+/g, '')
  for (let above = first.parentElement; above; above = above.parentElement) {
    const links = Array.from(above.querySelectorAll('a'))
    if (!links.every(isFresh) || links.map(words).join('') !== words(above)) break
    root = above
  }
  return root
}

/**
 * Describes the items of each level by the last item, because the first one may be marked as current. A kind of heading belongs
 * to the deepest level at which it is: it is less deep only where no outer heading comes before it.
 */
function readLevels(root: Element): OutlineLevel[] | null {
  const links: HTMLAnchorElement[] = []
  const deepest = new Map<string, number>()
  for (const link of root.querySelectorAll('a')) {
    const depth = depthOf(link, root)
    const tag = document.getElementById(targetOf(link))?.localName ?? ''
    if (!/^h[1-6]$/.test(tag)) return null
    links[depth] = link
    deepest.set(tag, Math.max(depth, deepest.get(tag) ?? 0))
  }
  const levels: OutlineLevel[] = []
  for (const [depth, link] of links.entries()) {
    const tags = [...deepest].flatMap(([tag, at]) => (at === depth ? tag : [])).sort()
    if (!link || tags.length === 0) return null
    const list = depth === 0 ? '' : emptied(link.closest('li')?.parentElement ?? null)
    levels.push({ tags, item: toItem(link), list })
  }
  return levels.length === 0 ? null : levels
}

/** Counts the list items around a link. */
function depthOf(link: Element, root: Element): number {
  let depth = 0
  for (let at = link.parentElement; at && at !== root.parentElement; at = at.parentElement)
    if (at.localName === 'li') depth += 1
  return Math.max(0, depth - 1)
}

function toItem(link: HTMLAnchorElement): string {
  const item = link.closest('li') ?? link
  const copy = item.cloneNode(true) as Element
  for (const list of copy.querySelectorAll('ul, ol')) list.remove()
  const own = copy.matches('a') ? copy : copy.querySelector('a')
  const text = textOf(link)
  let holder = own
  while (holder?.firstElementChild && holder.firstElementChild.textContent === holder.textContent)
    holder = holder.firstElementChild
  if (holder) holder.textContent = textMark
  for (const element of [copy, ...copy.querySelectorAll('*')]) {
    for (const { name, value } of [...element.attributes]) {
      // A script that runs in the page of the site must not run in its copy.
      if (name.startsWith('on') || name === 'id' || name === 'aria-current') element.removeAttribute(name)
      else if (name !== 'href' && value.replace(/\s+/g, ' ').trim() === text) element.setAttribute(name, textMark)
    }
  }
  own?.setAttribute('href', `#${idMark}`)
  return copy.outerHTML
}

function emptied(list: Element | null): string {
  const copy = list?.cloneNode(false) as Element | undefined
  return copy?.outerHTML ?? ''
}

/** Returns the markup of the outline without its items; null if its items are not in one list. */
function withoutItems(root: Element, list: Element | null): string | null {
  if (!list || !root.contains(list)) return null
  list.classList.add(itemsMark)
  const copy = root.cloneNode(true) as Element
  list.classList.remove(itemsMark)
  const inner = copy.matches(`.${itemsMark}`) ? copy : copy.querySelector(`.${itemsMark}`)
  inner?.replaceChildren()
  return copy.querySelector('script') ? null : copy.outerHTML
}

/** Finds the place of the outline in the page as it was served. */
function findPlace(
  root: Element,
  list: Element,
  before: Document,
): Pick<OutlineModel, 'anchor' | 'position' | 'classes'> | null {
  const { previousElementSibling: previous, nextElementSibling: next, parentElement: parent } = root
  const candidates: [Element | null, OutlineModel['position']][] = [
    [list, 'inside'],
    [previous, 'after'],
    [next ? null : parent, 'last'],
    [previous ? null : parent, 'first'],
  ]
  for (const [element, position] of candidates) {
    const anchor = element && findSelector(element, before)
    const found = anchor ? before.querySelector(anchor) : null
    if (!anchor || !found || (position === 'inside' && found.children.length > 0)) continue
    return { anchor, position, classes: element ? findClasses(element, found) : [] }
  }
  return null
}

/** Returns a selector without ids that fits one element, both here and in the page as it was served; null if there is none. */
function findSelector(element: Element, before: Document): string | null {
  const isOnly = (selector: string, root: Document) => root.querySelectorAll(selector).length === 1
  let selector = ''
  for (let at: Element | null = element, up = 0; at && up < 4; at = at.parentElement, up += 1) {
    const served = Array.from(at.classList).filter(name => before.querySelector(`${at?.localName}.${CSS.escape(name)}`))
    const own = [at.localName, ...served.map(name => `.${CSS.escape(name)}`)].join('')
    selector = selector === '' ? own : `${own} > ${selector}`
    if (isOnly(selector, before) && isOnly(selector, document)) return selector
  }
  return null
}

/** Lists the classes that the page's scripts added to the anchor and the elements around it. */
function findClasses(anchor: Element, served: Element): OutlineModel['classes'] {
  const classes: OutlineModel['classes'] = []
  let [here, there]: [Element | null, Element | null] = [anchor, served]
  for (let level = 0; level < maxAround && here && here.localName === there?.localName; level += 1) {
    if (here.localName === 'body') break
    const known = there.classList
    const added = Array.from(here.classList).filter(name => !known.contains(name))
    if (added.length > 0) classes.push([level, added])
    here = here.parentElement
    there = there.parentElement
  }
  return classes
}

/** Decides whether the headings of this page give the same list. */
function givesSame(root: Element, model: OutlineModel): boolean {
  const given = Array.from(
    root.querySelectorAll('a'),
    link => `${depthOf(link, root)} ${targetOf(link)} ${textOf(link)}`,
  )
  const headings = listHeadings(document, model)
  const depths = listDepths(model.levels, headings)
  const wanted = headings.map((heading, at) => `${depths[at]} ${heading.id} ${textOf(heading)}`)
  return given.join('\n') === wanted.join('\n')
}
