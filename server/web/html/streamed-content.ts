import { type Attribute, findAttribute, scanHtml, type Tag } from './html-scan.ts'
import { createMoves, type Moves } from './moves.ts'
import { createOpenElements, type OpenElement } from './open-elements.ts'
import { mayHaveStreamCalls, readStreamCalls, type StreamCall } from './stream-calls.ts'
import { createStreamStyles, type StreamStyles } from './stream-styles.ts'
import { decodeAttribute, type RawText } from './text-encoding.ts'

/**
 * A part of a page that React shows in place of its content until the content has arrived:
 * `<!--$?--><template id="B:0"></template>Loading<!--/$-->`.
 */
interface Boundary {
  start: number
  /** Position of the comment that ends the boundary. */
  end: number
}

interface Element extends OpenElement {
  id: string | null
}

/** An element with an id. The end is -1 while it is open. */
interface Identified {
  start: number
  contentStart: number
  contentEnd: number
  end: number
}

interface StreamedPage {
  calls: StreamCall[]
  /** The first element of each id, as getElementById finds it. */
  elements: Map<string, Identified>
  /** Boundaries that wait for their content, by the id of their template. */
  boundaries: Map<string, Boundary>
  styles: StreamStyles
}

/**
 * Returns a page as its streaming instructions leave it. React's server sends a page with fallbacks first, then the contents
 * in hidden elements, and small scripts that move each content into its place. The result is what a browser has after
 * these scripts: the contents in their places, in completed boundaries that React hydrates. Instructions that cannot be
 * followed stay as they are, including those for failed boundaries.
 *
 * Source: packages/react-dom-bindings/src/server/fizz-instruction-set of React 18 and 19.
 */
export function resolveStreamedContent(raw: RawText): RawText {
  if (!mayHaveStreamCalls(raw.text)) return raw
  const page = readStreamedPage(raw)
  const moves = createMoves(raw.text)
  const followed = page.calls.filter(call => follow(call, page, moves))
  if (followed.length === 0) return raw
  page.styles.hoist(
    followed.flatMap(({ sheets }) => sheets),
    moves,
  )
  // Without its elements, an instruction throws an error in React 18.
  for (const { start, end } of followed) moves.replace(start, end, [])
  return { ...raw, text: moves.apply() }
}

/** Moves the content of one instruction into its place. Returns false when its elements are not there. */
function follow(call: StreamCall, { elements, boundaries }: StreamedPage, moves: Moves): boolean {
  const content = elements.get(call.content)
  const target = elements.get(call.target)
  // A script finds only what comes before it.
  if (!content || content.end === -1 || content.end > call.start || !target || target.start > call.start) return false
  const inside = { start: content.contentStart, end: content.contentEnd }
  if (call.kind === 'segment') {
    if (target.end === -1) return false
    moves.replace(target.start, target.end, [inside])
  } else {
    const boundary = boundaries.get(call.target)
    if (!boundary) return false
    moves.replace(boundary.start, boundary.end, ['<!--$-->', inside])
  }
  moves.replace(content.start, content.end, [])
  elements.delete(call.content)
  elements.delete(call.target)
  return true
}

/** Scripts do not find what is inside these elements. */
const isDormant = (name: string) => name === 'template' || name === 'noscript'

function readStreamedPage(raw: RawText): StreamedPage {
  const { text, charset } = raw
  const value = (attribute: Attribute) => decodeAttribute(text.slice(attribute.start, attribute.end), charset)
  const page: StreamedPage = { calls: [], elements: new Map(), boundaries: new Map(), styles: createStreamStyles(raw) }
  const comments = createBoundaryReader(text)
  let dormant = 0

  const open = createOpenElements<Element>(({ id, contentStart }, end, ending) => {
    const found = id === null ? undefined : page.elements.get(id)
    if (found?.contentStart !== contentStart || ending === 'lost') return
    found.end = end
    found.contentEnd = ending === 'tag' ? text.lastIndexOf('<', end - 1) : end
  })

  function openTag(tag: Tag): void {
    const attribute = dormant === 0 ? findAttribute(tag, 'id') : undefined
    const id = attribute ? value(attribute) : null
    const isFirst = id !== null && !page.elements.has(id)
    const element = { name: tag.name, start: tag.start, contentStart: tag.end, id: isFirst ? id : null }
    if (!open.openTag(element, text[tag.end - 2] === '/') || !isFirst) return
    page.elements.set(id, { start: tag.start, contentStart: tag.end, contentEnd: -1, end: -1 })
    const boundary = comments.endingAt(tag.start)
    if (boundary && tag.name === 'template') boundary.id = id
  }

  scanHtml(text, {
    tag(tag) {
      openTag(tag)
      if (dormant === 0) page.styles.tag(tag)
      if (isDormant(tag.name)) dormant += 1
    },
    closeTag(name, start) {
      const close = text.indexOf('>', start)
      open.closeTag(name, start, close === -1 ? text.length : close + 1)
      if (isDormant(name) && dormant > 0) dormant -= 1
    },
    comment(start, end) {
      if (dormant > 0) return
      const ended = comments.read(start, end, open.innermost())
      if (ended) page.boundaries.set(ended.id, ended)
    },
    rawText(tag, start, end) {
      if (dormant > 0) return
      if (tag.name === 'script') page.calls.push(...readStreamCalls(raw, tag, start, end))
      else page.styles.endStyle(tag, end)
    },
  })
  return page
}

interface OpenBoundary {
  start: number
  /** Position after the comment. */
  commentEnd: number
  isPending: boolean
  /** The element that contains the comment. */
  parent: Element | undefined
  /** The id of the template after the comment; null = none. */
  id: string | null
}

/** Contents of the comments that begin and end boundaries. */
const begins = new Set(['$', '$?', '$~', '$!', '&'])
const ends = new Set(['/$', '/&'])

/** Matches the comments that begin and end boundaries. Both comments of a boundary are children of one element. */
function createBoundaryReader(text: string) {
  const open: OpenBoundary[] = []
  return {
    /** Returns the boundary that ends with this comment and waits for its content; null when there is none. */
    read(start: number, end: number, parent: Element | undefined): (Boundary & { id: string }) | null {
      const data = text.slice(start + 4, end - 3)
      if (begins.has(data))
        open.push({ start, commentEnd: end, isPending: data === '$?' || data === '$~', parent, id: null })
      if (!ends.has(data)) return null
      const begun = open.pop()
      if (!begun?.isPending || begun.id === null || begun.parent !== parent) return null
      return { start: begun.start, end: start, id: begun.id }
    },
    /** Returns the boundary whose first comment ends at a position. */
    endingAt(position: number): OpenBoundary | undefined {
      const last = open.at(-1)
      return last?.commentEnd === position && last.isPending ? last : undefined
    },
  }
}
