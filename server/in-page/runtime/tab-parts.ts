/** Words in classes that tell which of several parts is shown. */
const stateWord = /active|selected|current|checked|hidden|shown/i
const stateAttributes = [
  ...['hidden', 'aria-hidden', 'aria-selected', 'aria-current', 'tabindex'],
  ...['data-state', 'data-selected', 'data-active', 'data-headlessui-state'],
]

/** A row of labels, and one part of content for each label, of which one is shown. */
interface TabGroup {
  labels: readonly Element[]
  parts: readonly HTMLElement[]
  /** Position of the label that was clicked. */
  at: number
}

/** How far the row may be above the clicked element, and how far the parts above the row. */
const maxDepth = 3
const maxAbove = 2

/** Shows the part of a clicked label, in a group of labels and parts without roles. */
export function showPart(target: Element): void {
  const group = findGroup(target)
  if (!group) return
  const { labels, parts, at } = group
  const before = parts.findIndex(isShown)
  swapStates(parts[before], parts[at])
  swapStates(labels[before], labels[at])
}

function findGroup(target: Element): TabGroup | null {
  let item: Element | null = target
  for (let depth = 0; item?.parentElement && depth <= maxDepth; depth += 1, item = item.parentElement) {
    const { tagName } = item
    const labels = Array.from(item.parentElement.children).filter(other => other.tagName === tagName)
    const parts = labels.length < 2 ? null : findParts(item.parentElement, labels.length)
    if (parts) return { labels, parts, at: labels.indexOf(item) }
  }
  return null
}

/** Finds an element after the row with as many children as there are labels, of which one is shown. */
function findParts(row: Element, count: number): HTMLElement[] | null {
  let box: Element | null = row
  for (let above = 0; box && above <= maxAbove; above += 1, box = box.parentElement) {
    const next = box.nextElementSibling
    const parts = next ? Array.from(next.children).filter(child => child instanceof HTMLElement) : []
    if (parts.length === count && parts.filter(isShown).length === 1) return parts
  }
  return null
}

function isShown(part: Element): boolean {
  return part.checkVisibility()
}

/** Exchanges the classes and attributes that show one of two elements and hide the other one. */
export function swapStates(from: Element | undefined, to: Element | undefined): void {
  if (!from || !to || from === to) return
  const ownStates = (element: Element, other: Element) =>
    [...element.classList].filter(name => stateWord.test(name) && !other.classList.contains(name))
  const [away, back] = [ownStates(from, to), ownStates(to, from)]
  from.classList.remove(...away)
  to.classList.remove(...back)
  to.classList.add(...away)
  from.classList.add(...back)
  for (const name of stateAttributes) {
    const [value, other] = [from.getAttribute(name), to.getAttribute(name)]
    setAttribute(from, name, other)
    setAttribute(to, name, value)
  }
}

function setAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name)
  else element.setAttribute(name, value)
}
