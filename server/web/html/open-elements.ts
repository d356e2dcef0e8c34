/** An element that has not ended yet. */
export interface OpenElement {
  name: string
  start: number
  /** Position after the open tag. */
  contentStart: number
}

/** How an element ended: by its end tag, by an implied end tag, or at the end of the document. */
export type Ending = 'tag' | 'implied' | 'lost'

const empty = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
])

/** For each element, the open tags that imply its end tag. */
const endedBy: Record<string, ReadonlySet<string>> = {
  li: new Set(['li']),
  dt: new Set(['dt', 'dd']),
  dd: new Set(['dt', 'dd']),
  tr: new Set(['tr', 'tbody', 'tfoot']),
  td: new Set(['td', 'th', 'tr', 'tbody', 'tfoot']),
  th: new Set(['td', 'th', 'tr', 'tbody', 'tfoot']),
  option: new Set(['option', 'optgroup']),
  p: new Set([
    ...['address', 'article', 'aside', 'blockquote', 'details', 'div', 'dl', 'fieldset', 'figure', 'footer', 'form'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'table', 'ul'],
  ]),
}

/** Decides whether an element never has content. */
export function isVoid(name: string): boolean {
  return empty.has(name)
}

/** Decides whether the end tag of an element may be missing. */
export function hasOptionalEnd(name: string): boolean {
  return name in endedBy
}

/** Tracks the open elements while tags are read in order. Elements are nested as in a browser. */
export function createOpenElements<T extends OpenElement>(onEnd: (element: T, end: number, ending: Ending) => void) {
  const open: T[] = []
  // The number of open elements by name, because broken pages have thousands of open elements and unmatched end tags.
  const counts = new Map<string, number>()
  const count = (name: string) => counts.get(name) ?? 0

  function end(from: number, at: number, ending: Ending) {
    while (open.length > from) {
      const element = open.pop()
      if (!element) return
      counts.set(element.name, count(element.name) - 1)
      onEnd(element, at, element.name in endedBy && ending === 'lost' ? 'implied' : ending)
    }
  }

  return {
    /** Returns the innermost open element. */
    innermost: (): T | undefined => open.at(-1),
    isOpen: (name: string): boolean => count(name) > 0,
    /** Ends the elements whose end this tag implies, then opens the element. Returns false if the element has no content. */
    openTag(element: T, closesItself: boolean): boolean {
      for (let top = open.at(-1); top && endedBy[top.name]?.has(element.name); top = open.at(-1))
        end(open.length - 1, element.start, 'implied')
      const isForeign = count('svg') + count('math') > 0 || element.name === 'svg' || element.name === 'math'
      if (empty.has(element.name) || (closesItself && isForeign)) return false
      open.push(element)
      counts.set(element.name, count(element.name) + 1)
      return true
    },
    closeTag(name: string, start: number, tagEnd: number) {
      if (count(name) === 0) return
      const index = open.findLastIndex(element => element.name === name)
      end(index + 1, start, name === 'body' || name === 'html' ? 'lost' : 'implied')
      end(index, tagEnd, 'tag')
    },
    finish: (at: number) => end(0, at, 'lost'),
  }
}
