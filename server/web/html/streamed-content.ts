// A long file: the calls that servers stream, and what they do to a page.
import { findAttribute, scanHtml, type Tag } from './html-scan.ts'
import { createMoves, type Moves } from './moves.ts'
import { createOpenElements, type OpenElement } from './open-elements.ts'
import { createStreamStyles, type StreamStyles } from './stream-styles.ts'
import { decodeAttribute, decodeRaw, type RawText } from './text-encoding.ts'

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
  /** The template that contains the element. Scripts find the element once the template's content has been moved. */
  template: Identified | null
  isMoved: boolean
  /** The end of the first comment that follows in the same parent; -1 = none. */
  commentEnd: number
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
 * these scripts: the contents in their places, in completed boundaries that React hydrates. Solid's server does the same with
 * templates. Instructions that cannot be followed stay as they are, including those for failed boundaries.
 *
 * Sources: packages/react-dom-bindings/src/server/fizz-instruction-set of React 18 and 19; REPLACE_SCRIPT in
 * packages/dom-expressions/src/server.js, which Solid uses.
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
  for (const { start, end, rest } of followed) moves.replace(start, end, rest === '' ? [] : [rest])
  return { ...raw, text: moves.apply() }
}

/** Moves the content of one instruction into its place. Returns false when its elements are not there. */
function follow(call: StreamCall, { elements, boundaries }: StreamedPage, moves: Moves): boolean {
  const content = elements.get(call.content)
  const target = elements.get(call.target)
  // A script finds only what comes before it.
  if (!content || content.end === -1 || content.end > call.start || !target || target.start > call.start) return false
  if (!isFound(content) || !isFound(target)) return false
  const inside = { start: content.contentStart, end: content.contentEnd }
  const boundary = boundaries.get(call.target)
  if (call.kind === 'segment' && target.end !== -1) moves.replace(target.start, target.end, [inside])
  else if (call.kind === 'fragment' && target.commentEnd !== -1)
    moves.replace(target.start, target.commentEnd, [inside])
  else if (call.kind === 'boundary' && boundary) moves.replace(boundary.start, boundary.end, ['<!--$-->', inside])
  else return false
  moves.replace(content.start, content.end, [])
  content.isMoved = true
  elements.delete(call.content)
  elements.delete(call.target)
  return true
}

function isFound({ template }: Identified): boolean {
  return template === null || template.isMoved
}

function readStreamedPage(raw: RawText): StreamedPage {
  const { text } = raw
  const page: StreamedPage = { calls: [], elements: new Map(), boundaries: new Map(), styles: createStreamStyles(raw) }
  const comments = createBoundaryReader(text)
  /** The template that a following comment ends, by the parent of both. */
  const waiting = new Map<Element | undefined, Identified>()
  const templates = createTemplateStack()

  const open = createOpenElements<Element>((element, end, ending) => {
    waiting.delete(element)
    const found = element.id === null ? undefined : page.elements.get(element.id)
    if (found?.contentStart !== element.contentStart || ending === 'lost') return
    found.end = end
    found.contentEnd = ending === 'tag' ? text.lastIndexOf('<', end - 1) : end
  })

  function openTag(tag: Tag): void {
    const parent = open.innermost()
    const id = readId(tag, raw)
    const isFirst = id !== null && !page.elements.has(id)
    const element = { name: tag.name, start: tag.start, contentStart: tag.end, id: isFirst ? id : null }
    const isOpen = open.openTag(element, text[tag.end - 2] === '/')
    const found = isOpen && isFirst ? createIdentified(tag, templates.innermost()) : null
    if (found && id !== null) page.elements.set(id, found)
    if (tag.name === 'template' && found) {
      comments.nameBoundary(tag.start, id)
      waiting.set(parent, found)
    }
    if (isOpen && isWrapper(tag.name)) templates.open(found)
  }

  scanHtml(text, {
    tag(tag) {
      openTag(tag)
      if (templates.isEmpty()) page.styles.tag(tag)
    },
    closeTag(name, start) {
      const close = text.indexOf('>', start)
      open.closeTag(name, start, close === -1 ? text.length : close + 1)
      if (isWrapper(name)) templates.close()
    },
    comment(start, end) {
      const parent = open.innermost()
      const before = waiting.get(parent)
      if (before) before.commentEnd = end
      waiting.delete(parent)
      const ended = comments.read(start, end, parent)
      if (ended && templates.isEmpty()) page.boundaries.set(ended.id, ended)
    },
    rawText(tag, start, end) {
      if (!templates.isEmpty()) return
      if (tag.name === 'script') for (const call of readStreamCalls(raw, tag, start, end)) page.calls.push(call)
      else page.styles.endStyle(tag, end)
    },
  })
  return page
}

function readId(tag: Tag, { text, charset }: RawText): string | null {
  const attribute = findAttribute(tag, 'id')
  return attribute ? decodeAttribute(text.slice(attribute.start, attribute.end), charset) : null
}

function createIdentified({ start, end }: Tag, template: Identified | null): Identified {
  return { start, contentStart: end, contentEnd: -1, end: -1, template, isMoved: false, commentEnd: -1 }
}

/** Scripts do not find what is inside these elements. */
const isWrapper = (name: string) => name === 'template' || name === 'noscript'

/** Follows the open templates and noscript elements. */
function createTemplateStack() {
  const never = createIdentified({ start: -1, end: -1 } as Tag, null)
  const open: Identified[] = []
  return {
    isEmpty: () => open.length === 0,
    innermost: () => open.at(-1) ?? null,
    /** @param template null = its content is never moved. */
    open: (template: Identified | null) => void open.push(template ?? never),
    close: () => void open.pop(),
  }
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
    /** Gives the boundary whose first comment ends at a position the id of its template. */
    nameBoundary(position: number, id: string | null): void {
      const last = open.at(-1)
      if (last?.commentEnd === position && last.isPending) last.id = id
    },
  }
}

/** An instruction in an inline script that moves streamed content into its place. */
interface StreamCall {
  /**
   * A boundary of React has a fallback, and a segment only a placeholder. The content of a fragment of Solid is in a template.
   */
  kind: 'boundary' | 'segment' | 'fragment'
  /** Id of the element that contains the content. */
  content: string
  /** Id of the template that marks the place. */
  target: string
  /** Style sheets that the content needs, as `[href, precedence, name, value, ...]`. */
  sheets: string[][]
  /** What remains to be run when the content is in its place. */
  rest: string
  /** The range of the call in the page. */
  start: number
  end: number
}

/**
 * Matches the beginning of `$RC("B:0","S:0")`, `$RR("B:0","S:0",[["/a.css","next"]])`, `$RS("S:1","P:1")` and `$df("210")`.
 * Their arguments are JSON. The definitions of these functions, and calls inside other functions, do not match.
 */
const callPattern = /(?<=^|[;}\s])\$(R[CRS]|df)\((?=")/g

/** Decides quickly whether a page may contain instructions. */
function mayHaveStreamCalls(text: string): boolean {
  return ['$RC("', '$RR("', '$RS("', '$df("'].some(call => text.includes(call))
}

/** Reads the instructions in the content of a script element. */
function readStreamCalls({ text, charset }: RawText, tag: Tag, start: number, end: number): StreamCall[] {
  if (!runs(text, tag)) return []
  const script = text.slice(start, end)
  if (!mayHaveStreamCalls(script)) return []
  const calls: StreamCall[] = []
  callPattern.lastIndex = 0
  for (let match = callPattern.exec(script); match; match = callPattern.exec(script)) {
    const from = callPattern.lastIndex
    const close = endOfArguments(script, from)
    if (close === -1) continue
    const call = toCall(match[1] ?? '', parseArguments(decodeRaw(script.slice(from, close), charset)))
    const callEnd = script[close + 1] === ';' ? close + 2 : close + 1
    if (call) calls.push({ ...call, start: start + match.index, end: start + callEnd })
    callPattern.lastIndex = callEnd
  }
  return calls
}

/**
 * Returns the position of the bracket after strings, commas, spaces and lists; -1 when there is none. An expression would
 * need a stack for the characters of a long string.
 */
function endOfArguments(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === ')') return at
    if (sign === '"') at = endOfString(text, at + 1)
    else if (!/[,\s[\]]/.test(sign)) return -1
  }
  return -1
}

function endOfString(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** Returns the instruction of a function and its arguments; null when they are wrong. */
function toCall(
  name: string,
  [first, second, sheets = []]: readonly unknown[],
): Omit<StreamCall, 'start' | 'end'> | null {
  if (typeof first !== 'string') return null
  if (name === 'df') {
    const rest = `_$HY.fe(${JSON.stringify(first)});`
    return { kind: 'fragment', content: first, target: `pl-${first}`, sheets: [], rest }
  }
  if (typeof second !== 'string' || !isSheetList(sheets)) return null
  if (name === 'RS') return { kind: 'segment', content: first, target: second, sheets: [], rest: '' }
  return { kind: 'boundary', content: second, target: first, sheets, rest: '' }
}

/** Decides whether a script element contains a program that a browser runs. */
function runs(text: string, tag: Tag): boolean {
  const type = findAttribute(tag, 'type')
  if (findAttribute(tag, 'src')) return false
  return !type || /^(?:module|(?:text|application)\/javascript)?$/i.test(text.slice(type.start, type.end).trim())
}

function parseArguments(source: string): unknown[] {
  try {
    return JSON.parse(`[${source}]`) as unknown[]
  } catch {
    return []
  }
}

function isSheetList(value: unknown): value is string[][] {
  const isStrings = (item: unknown) => Array.isArray(item) && item.every(part => typeof part === 'string')
  return Array.isArray(value) && value.every(isStrings)
}
