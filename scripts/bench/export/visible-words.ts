import type { Page } from 'puppeteer'

/** Reads the words that a reader sees, in order, with those in frames and in open shadow roots. */
export async function readVisibleWords(page: Page): Promise<string[]> {
  const texts: string[] = []
  for (const frame of page.frames()) {
    // A frame that was refused, or that went away, shows nothing.
    texts.push(await frame.evaluate(readVisibleText).catch(() => ''))
  }
  return toWords(texts.join('\n'))
}

/** Splits text into words. Signs alone, such as the mark of a link to a heading, are no words. */
export function toWords(text: string): string[] {
  return text.split(/[\s\u200b]+/u).filter(word => /[\p{L}\p{N}]/u.test(word))
}

/** Returns the share of the wanted words that are shown, counting repeated words; 1 if none are wanted. */
export function shareOfWords(wanted: readonly string[], given: readonly string[]): number {
  if (wanted.length === 0) return 1
  return 1 - subtractWords(wanted, given).length / wanted.length
}

/** Returns the words of `all` that `taken` does not have, or has less often, in order. */
export function subtractWords(all: readonly string[], taken: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const word of taken) left.set(word, (left.get(word) ?? 0) + 1)
  return all.filter(word => {
    const count = left.get(word) ?? 0
    if (count > 0) left.set(word, count - 1)
    return count === 0
  })
}

/** Reads the text that is rendered, with spaces between blocks. Runs inside a page, so it must be self-contained. */
function readVisibleText(): string {
  let text = ''
  const unread = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE'])
  const readText = (node: Text) => {
    const parent = node.parentElement ?? (node.getRootNode() as ShadowRoot).host
    if (node.data.trim() === '' || !parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
      text += /^\s/.test(node.data) ? ' ' : ''
      return
    }
    const range = document.createRange()
    range.selectNodeContents(node)
    if ([...range.getClientRects()].some(({ width, height }) => width > 0 && height > 0)) text += node.data
  }
  const readAll = (nodes: Iterable<Node>) => {
    for (const node of nodes) {
      if (node.nodeType === Node.TEXT_NODE) readText(node as Text)
      else if (node.nodeType === Node.ELEMENT_NODE) readElement(node as Element)
    }
  }
  const readElement = (element: Element) => {
    if (unread.has(element.tagName)) return
    const { display, contentVisibility } = getComputedStyle(element)
    if (display === 'none' || contentVisibility === 'hidden') return
    const gap = display === 'inline' || display === 'contents' ? (element.tagName === 'BR' ? '\n' : '') : '\n'
    text += gap
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes({ flatten: true }) : []
    const isClosed = element instanceof HTMLDetailsElement && !element.open
    if (isClosed) readAll([...element.children].filter(child => child.tagName === 'SUMMARY').slice(0, 1))
    else if (assigned.length > 0) readAll(assigned)
    else readAll(element.shadowRoot ? element.shadowRoot.childNodes : element.childNodes)
    text += gap
  }
  if (document.body) readElement(document.body)
  return text
}
