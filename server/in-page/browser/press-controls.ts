import { labelOf, listControls, press, shownWords } from '../panels/list-controls.ts'
import type { PressStep } from '../panels/pressed-control.ts'
import { panelsNear } from '../panels/tab-names.ts'

declare global {
  interface Window {
    __quirePresses?: Session
  }
}

interface Session {
  /** Keys of the controls when the page was read. */
  keys: ReadonlyMap<Element, string>
  queue: Press[]
  /** What was pressed last; null when it was pressed to undo the press before. */
  last: Press | null
  /** What the press before changed, while it is undone. */
  undone: Effect | null
  observer: MutationObserver
  /** The changes since the last press. */
  records: MutationRecord[]
}

interface Press {
  key: string
  control: HTMLElement
  /** The elements around the control before it is pressed, innermost first. */
  around: Element[]
  words: Set<string>
  isSecond: boolean
}

const maxControls = 12
const maxWords = 30
const maxStateLength = 20_000

/** Controls that other steps use, and those that send something or leave the page. */
const skipped =
  /theme|dark|appearance|colou?r.?(?:mode|scheme)|search|print|share|feedback|helpful|submit|send|try|execute|log.?in|sign|subscribe|delete|remove|reset|vote|ask|chat|cookie|accept|download/i

/**
 * Presses the controls of a page, one in each step 0, 1, 2 ..., and tells what the previous step changed. Controls in the
 * content come first. A control that changed something is pressed again, so that the page is as before. Those that changed
 * nothing are pressed once more at the end: they may be the tabs that were selected at first.
 *
 * @param onlyContent whether to press only those in the content; it counts in step 0.
 */
export default function pressControls(step: number, onlyContent: boolean): PressStep {
  if (step === 0) window.__quirePresses = begin(onlyContent)
  const session = window.__quirePresses
  // The press has left the page.
  if (!session) return { isPressed: false, ...nothing }
  const records = [...session.records, ...session.observer.takeRecords()].filter(isChange)
  const { last, undone } = session
  session.last = session.undone = null
  if (undone?.state) undone.state.isToggle = records.length > 0
  const found = last && findEffect(session, last, records)
  if (last && !found && !last.isSecond) session.queue.push({ ...last, isSecond: true })
  if (found && last?.control.isConnected && last.control.role !== 'tab' && !last.isSecond) {
    session.undone = found
    forget(session)
    press(last.control)
    return { isPressed: true, ...nothing }
  }
  return { isPressed: pressNext(session), ...(undone ?? found ?? nothing) }
}

type Effect = Pick<PressStep, 'pressed' | 'state'>

const nothing: Effect = { pressed: null, state: null }

function begin(onlyContent: boolean): Session {
  const all = [...listControls()]
  const usable = all.filter(([, control]) => isUsable(control))
  const sorted = [
    ...usable.filter(([, control]) => isContent(control)),
    ...usable.filter(([, control]) => !onlyContent && !isContent(control)),
  ]
  const queue = sorted.slice(0, maxControls).map(([key, control]) => {
    return { key, control, around: [], words: new Set<string>(), isSecond: false }
  })
  const records: MutationRecord[] = []
  const observer = new MutationObserver(changes => records.push(...changes))
  const old = { attributeOldValue: true, characterDataOldValue: true }
  observer.observe(document, { ...old, childList: true, subtree: true })
  return {
    keys: new Map(all.map(([key, control]) => [control, key])),
    queue,
    last: null,
    undone: null,
    observer,
    records,
  }
}

function isContent(control: Element): boolean {
  return control.closest('main, article, [role=main]') !== null
}

function isCopy(control: HTMLElement): boolean {
  return /copy|copied/i.test([labelOf(control), control.className].join(' '))
}

function isUsable(control: HTMLElement): boolean {
  if (!control.checkVisibility() || control.matches(':disabled, [aria-disabled=true], form *')) return false
  if (control.closest('a[href]:not([href^="#"]), dialog, [role=dialog]') || control.ariaHasPopup === 'dialog')
    return false
  // Nothing is learned from these, and a page has one for each block of code, which would use up the controls that are pressed.
  if (isCopy(control) && !control.matches('summary, [role=tab], [aria-expanded]')) return false
  return !skipped.test([labelOf(control), control.title, control.className, control.id].join(' '))
}

function pressNext(session: Session): boolean {
  for (let next = session.queue.shift(); next; next = session.queue.shift()) {
    if (!next.control.isConnected) continue
    next.around = []
    for (let above: Element | null = next.control; above; above = above.parentElement) next.around.push(above)
    next.words = shownWords()
    session.last = next
    forget(session)
    press(next.control)
    return true
  }
  return false
}

function forget({ observer, records }: Session): void {
  observer.takeRecords()
  records.length = 0
}

/** Decides whether a record is more than the same value again. */
function isChange({ target, type, attributeName, oldValue, addedNodes, removedNodes }: MutationRecord): boolean {
  if (!target.isConnected || attributeName === 'tabindex') return false
  if (type === 'characterData') return target.nodeValue !== oldValue
  if (type === 'childList') return markupOf(addedNodes) !== markupOf(removedNodes)
  return attributeName !== null && (target as Element).getAttribute(attributeName) !== oldValue
}

function markupOf(nodes: NodeList): string {
  // Apps fetch files ahead by such elements.
  const seen = Array.from(nodes).filter(node => !(node instanceof Element && node.matches('link, script, style, meta')))
  return seen.map(node => (node instanceof Element ? node.outerHTML : node.nodeValue)).join('')
}

function findEffect(
  { keys }: Session,
  { key, control, around, words }: Press,
  changed: readonly MutationRecord[],
): Effect | null {
  if (changed.length === 0) return null
  const fresh = [...shownWords()].filter(word => !words.has(word)).slice(0, maxWords)
  // A browser may refuse to copy, so the same button may do less.
  const pressed = isCopy(control) ? null : { key, name: key.replace(/^\d+ \S+ /, '') || labelOf(control), words: fresh }
  const up = around.findIndex(above => above.isConnected && changed.every(({ target }) => above.contains(target)))
  const part = around[up]
  // The panels of tabs are copied by themselves.
  const list = control.role === 'tab' ? control.closest('[role=tablist]') : null
  if (list && panelsNear(list).length > 0) return { pressed, state: null }
  if (!part || part.matches('html, body, main') || part.outerHTML.length > maxStateLength)
    return { pressed, state: null }
  const isAdded = changed.some(({ type, addedNodes }) => type === 'characterData' || addedNodes.length > 0)
  const isFresh = isAdded && (fresh.length > 0 || !isContent(control)) && !isCopy(control)
  const kind = { isFresh, isContent: isContent(control), isToggle: false }
  return { pressed, state: { key, up, html: copyPart(part, keys), ...kind } }
}

/** Copies a part without what acts by itself. Its controls keep their keys. */
function copyPart(part: Element, keys: ReadonlyMap<Element, string>): string {
  const copy = part.cloneNode(true) as Element
  const copies = [copy, ...copy.querySelectorAll('*')]
  for (const [at, element] of [part, ...part.querySelectorAll('*')].entries()) {
    const key = keys.get(element)
    if (key !== undefined) copies[at]?.setAttribute('data-quire-control', key)
  }
  for (const element of copies) {
    if (element.matches('script, template, iframe')) element.remove()
    for (const { name } of [...element.attributes]) if (name.startsWith('on')) element.removeAttribute(name)
  }
  return copy.outerHTML
}
